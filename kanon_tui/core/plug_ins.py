"""What can be added to Kanon: classes by name, the built-in ones and those of other packages."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, MutableMapping, Sequence
from functools import cached_property
from importlib import import_module
from inspect import isabstract
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from kanon_tui.core.errors import InputError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Class = TypeVar("Class", bound=type)


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
    from importlib.metadata import entry_points

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


class Registry(MutableMapping[str, Class]):
    """Classes by name: the built-in ones, those of plug-ins, and those that are added to it.

    A built-in class is imported when it is asked for. Plug-ins are looked for once, when all
    classes are listed or an unknown name is asked for.
    """

    def __init__(
        self,
        group: str,
        base: type,
        needed: Sequence[str],
        built_in: Mapping[str, str],
        check: Callable[[Any, str], None],
    ) -> None:
        """Take the group of entry points and the places of built-in classes, `module:Class`.

        Plug-ins are subclasses of `base` that declare what is `needed` and that `check` accepts.
        """
        self._known: dict[str, str | Class] = dict(built_in)
        self.built_in = tuple(built_in)
        """The names of the built-in classes, in their order."""
        self.broken: dict[str, str] = {}
        """Plug-ins that cannot be used, each with a sentence that says why."""
        self._group = group
        self._base = base
        self._needed = needed
        self._check = check

    @cached_property
    def _all(self) -> dict[str, str | Class]:
        """The classes, after those of plug-ins have been added."""
        plug_ins = load_plug_ins(self._group, self._base, self._needed, self._known, self._check)
        self._known |= plug_ins.found
        self.broken |= plug_ins.broken
        return self._known

    def __getitem__(self, name: str) -> Class:
        place = self._known.get(name) or self._all[name]
        if not isinstance(place, str):
            return place
        module, _, class_name = place.partition(":")
        loaded: Class = getattr(import_module(module), class_name)
        return loaded

    def __setitem__(self, name: str, added: Class) -> None:
        self._known[name] = added

    def __delitem__(self, name: str) -> None:
        del self._known[name]

    def __contains__(self, name: object) -> bool:
        return name in self._known or name in self._all

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)
