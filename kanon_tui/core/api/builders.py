"""Hierarchies written in Python: each function returns the entry that a project file would have."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.hierarchy.specification import read_hierarchy

Specification = dict[str, Any]


def _checked(builder: str, **keys: Any) -> Specification:
    """Return a checked specification without the keys that are None."""
    given = {key: value for key, value in keys.items() if value is not None}
    return read_hierarchy(LocatedValue(builder, "", {"builder": builder, **given}))


def intervals(*widths: float, origin: float | None = None) -> Specification:
    """Return a hierarchy of ranges of fixed widths, one width per level.

    Parameters
    ----------
    *widths : float
        The width of the ranges of every level, each a multiple of the one before.
    origin : float, optional
        Where a range begins; 0 if not given.

    Returns
    -------
    dict
        The specification, as ``hierarchy:`` of a project file has it.

    Raises
    ------
    InputError
        If a width is not positive or does not fit the one before.

    Examples
    --------
    >>> import kanon_tui as kn
    >>> kn.intervals(5, 10, 20)
    {'builder': 'intervals', 'widths': [5, 10, 20]}
    """
    return _checked("intervals", widths=list(widths), origin=origin)


def breaks(*levels: Sequence[float]) -> Specification:
    """Return a hierarchy of ranges between cut points, one list of them per level.

    Parameters
    ----------
    *levels : sequence of float
        Rising cut points; those of a level are among those of the level below.

    Returns
    -------
    dict
        The specification, as ``hierarchy:`` of a project file has it.

    Raises
    ------
    InputError
        If the cut points do not rise.

    Examples
    --------
    >>> import kanon_tui as kn
    >>> kn.breaks([18, 40, 65], [65])
    {'builder': 'breaks', 'levels': [[18, 40, 65], [65]]}
    """
    return _checked("breaks", levels=[list(level) for level in levels])


def quantiles(*bins: int) -> Specification:
    """Return a hierarchy of ranges with about equally many records, one number per level.

    Parameters
    ----------
    *bins : int
        The number of ranges of every level, falling.

    Returns
    -------
    dict
        The specification, as ``hierarchy:`` of a project file has it.

    Raises
    ------
    InputError
        If the numbers do not fall.

    Examples
    --------
    >>> import kanon_tui as kn
    >>> kn.quantiles(10, 5)
    {'builder': 'quantiles', 'bins': [10, 5]}
    """
    return _checked("quantiles", bins=list(bins))


def mask(
    from_: Literal["right", "left"] = "right", levels: int | None = None, length: int | None = None
) -> Specification:
    """Return a hierarchy that hides characters one by one: 46201, 4620*, 462**, and so on.

    Parameters
    ----------
    from_ : {"right", "left"}
        The end at which hiding begins.
    levels : int, optional
        How many characters are hidden one by one before all are; all if not given.
    length : int, optional
        The places that values are lined up to; those of the longest if not given.

    Returns
    -------
    dict
        The specification, as ``hierarchy:`` of a project file has it.

    Raises
    ------
    InputError
        If an argument is not allowed.

    Examples
    --------
    >>> import kanon_tui as kn
    >>> kn.mask()
    {'builder': 'mask', 'from': 'right'}
    """
    return _checked("mask", **{"from": from_}, levels=levels, length=length)


def icd10() -> Specification:
    """Return a hierarchy of diagnoses by category and chapter: E11.90, E11, E00-E90, and ``*``.

    Returns
    -------
    dict
        The specification, as ``hierarchy:`` of a project file has it.

    Examples
    --------
    >>> import kanon_tui as kn
    >>> kn.icd10()
    {'builder': 'icd10'}
    """
    return _checked("icd10")


def dates(*levels: str) -> Specification:
    """Return a hierarchy of units of time.

    Parameters
    ----------
    *levels : str
        The unit of every level, from short to long: day, month, quarter, year, 5 years (or any
        number), decade. Month, year, 5 years and decade if not given.

    Returns
    -------
    dict
        The specification, as ``hierarchy:`` of a project file has it.

    Raises
    ------
    InputError
        If a unit is unknown.

    Examples
    --------
    >>> import kanon_tui as kn
    >>> kn.dates("month", "year")
    {'builder': 'date', 'levels': ['month', 'year']}
    """
    return _checked("date", levels=list(levels) or None)


def groups(*levels: Mapping[str, Sequence[str]], other: str | None = None) -> Specification:
    """Return a hierarchy of named groups, one mapping per level.

    Parameters
    ----------
    *levels : mapping of str to sequence of str
        Per level the groups with their members: values, then groups of the level below.
    other : str, optional
        The group of whatever a level does not name; without it that is an error.

    Returns
    -------
    dict
        The specification, as ``hierarchy:`` of a project file has it.

    Raises
    ------
    InputError
        If a member is in two groups.

    Examples
    --------
    >>> import kanon_tui as kn
    >>> kn.groups({"Europe": ["France", "Italy"], "Asia": ["Japan"]})["builder"]
    'groups'
    """
    named = [{name: list(members) for name, members in level.items()} for level in levels]
    return _checked("groups", levels=named, other=other)


def flat() -> Specification:
    """Return a hierarchy with one level above the values: everything becomes ``*``.

    Returns
    -------
    dict
        The specification, as ``hierarchy:`` of a project file has it.

    Examples
    --------
    >>> import kanon_tui as kn
    >>> kn.flat()
    {'builder': 'flat'}
    """
    return _checked("flat")
