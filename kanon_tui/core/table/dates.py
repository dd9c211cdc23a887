"""Dates as texts: `1999-12-31`, `31.12.1999`, `12/31/1999`, each with or without a clock time."""

import datetime
import re
from collections.abc import Iterable
from functools import cache

import numpy as np
import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import Floats
from kanon_tui.core.table.cell_codes import text_series

DATE_FORMATS = (
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%d.%m.%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%d %b %Y",
    "%d-%b-%Y",
    "%d %B %Y",
    "%b %d, %Y",
    "%B %d, %Y",
)

_CLOCK = (
    r"[T ]+([01]?[0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9](?:\.[0-9]+)?))?"
    r"(?: *(?:Z|[+-][0-9]{2}:?[0-9]{2}))?$"
)
_ZONE = r" *(Z|[+-][0-9]{2}:?[0-9]{2})$"
_CLOCK_DIRECTIVES = ("%H", "%I", "%k", "%l", "%M", "%S", "%T", "%R", "%r")
_SECONDS_PER_DAY = 86_400


def parse_dates(values: Iterable[str], date_format: str) -> Floats:
    """Return the days since 1970-01-01 of each text, nan where it is no date of this format.

    A clock time after the date counts as a fraction of the day. A time zone is ignored: the date
    and time are taken as printed, so nothing moves to another day. Years have four digits
    (1000-9999), which keeps `%Y` from reading `01/02/20` as a date in the year 20.
    """
    texts = text_series(values).str.strip_chars()
    if any(directive in date_format for directive in _CLOCK_DIRECTIVES):
        if date_format.endswith("%z"):
            date_format = date_format.removesuffix("%z").rstrip()
            texts = texts.str.replace(_ZONE, "")
        try:
            moments = texts.str.to_datetime(date_format, strict=False, time_unit="us")
        except pl.exceptions.PolarsError:
            raise InputError(
                f"the date format '{date_format}' cannot be used; "
                "write one like '%Y-%m-%d %H:%M:%S' (hours need minutes)"
            ) from None
        moments = moments.dt.replace_time_zone(None)
        years = moments.dt.year()
        days = moments.dt.timestamp("us").to_numpy() / (_SECONDS_PER_DAY * 1e6)
    else:
        try:
            dates = texts.str.replace(_CLOCK, "").str.to_date(date_format, strict=False)
        except pl.exceptions.PolarsError:
            raise InputError(
                f"the date format '{date_format}' cannot be used; write one like '%d.%m.%Y'"
            ) from None
        years = dates.dt.year()
        days = dates.to_physical().cast(pl.Float64).to_numpy() + _fraction_of_day(texts)
    plausible = years.is_between(1000, 9999).fill_null(False).to_numpy()
    return np.where(plausible, days, np.nan)


def _fraction_of_day(texts: pl.Series) -> Floats:
    """Return the fraction of the day at the clock time that ends each text, 0 without one."""
    if not texts.str.contains(":", literal=True).any():
        return np.zeros(texts.len())
    clock = texts.str.extract_groups(_CLOCK).struct.unnest()
    hours, minutes, seconds = clock.cast(pl.Float64).fill_null(0.0)
    return (hours * 3600 + minutes * 60 + seconds).to_numpy() / _SECONDS_PER_DAY


@cache
def date_pattern(date_format: str) -> re.Pattern[str]:
    """Return a pattern that every text of a format begins with, to skip formats quickly."""
    day, month = r"\s*\d{1,2}(?!\d)", r"\s*\w+"
    parts = {"%Y": r"\s*[+-]?\d{4,}", "%m": day, "%d": day, "%b": month, "%B": month}
    pattern = re.escape(date_format).replace("\\ ", r"\s*")
    for directive, part in parts.items():
        pattern = pattern.replace(re.escape(directive), part)
    return re.compile(pattern)


def date_text(day: int, date_format: str | None) -> str:
    """Return a day, counted from 1970-01-01, as a column with this format writes it."""
    date = datetime.date(1970, 1, 1) + datetime.timedelta(days=day)
    if date_format is None or any(each in date_format for each in (*_CLOCK_DIRECTIVES, "%y")):
        return date.isoformat()
    return date.strftime(date_format)
