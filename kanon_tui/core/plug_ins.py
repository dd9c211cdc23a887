"""Load what other packages add through entry points."""

from collections.abc import Callable, Container, Sequence
from importlib.metadata import EntryPoint, entry_points
from inspect import isabstract
from typing import Any, NamedTuple

from kanon_tui.core.errors import InputError


class PlugIns(NamedTuple):
    """The classes of an entry point group by name, and why others cannot be used."""

    found: dict[str, Any]
    packages: dict[str, str]
    """Of every class the package that brings it, with its version."""
    broken: dict[str, str]
    """Plug-ins that cannot be used, each with a sentence that says why."""


def load_plug_ins(
    group: str,
    base: type,
    needed: Sequence[str],
    taken: Container[str],
    check: Callable[[Any, str], None] = lambda plug_in, where: None,
) -> PlugIns:
    """Return the plug-ins of a group: subclasses of `base` that declare all that is needed.

    `check` raises where something else is wrong with a class.
    """
    plug_ins = PlugIns({}, {}, {})
    for entry in sorted(entry_points(group=group), key=lambda entry: entry.name):
        package = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
        try:
            plug_in = _load(entry, base, needed)
            check(plug_in, entry.value)
            if entry.name in taken:
                raise InputError("that name is used already")
            plug_ins.found[entry.name], plug_ins.packages[entry.name] = plug_in, package
        except Exception as error:  # whatever a plug-in raises, the others can be used
            reason = str(error) if isinstance(error, InputError) else repr(error)
            plug_ins.broken[entry.name] = (
                f"plug-in '{entry.name}' of {package} cannot be used: {reason}; repair or "
                f"uninstall that package"
            )
    return plug_ins


def _load(entry: EntryPoint, base: type, needed: Sequence[str]) -> Any:
    """Return the class of an entry point, after checking what it declares."""
    plug_in = entry.load()
    if not (isinstance(plug_in, type) and issubclass(plug_in, base)):
        raise InputError(f"{entry.value} is no subclass of {base.__name__}")
    missing = [each for each in needed if not hasattr(plug_in, each)]
    if missing:
        raise InputError(f"{entry.value} does not declare {', '.join(missing)}")
    if isabstract(plug_in):
        raise InputError(f"{entry.value} lacks a method that {base.__name__} asks for")
    if (name := getattr(plug_in, "name", None)) != entry.name:
        raise InputError(f"{entry.value} has the name '{name}'")
    return plug_in
