"""p-sensitive k-anonymity: every class has at least p distinct values of a sensitive attribute.

The figure is that of distinct l-diversity, where missing is no value; the two came up under
different names.

Reference: Truta and Vinay, p-sensitive k-anonymity (2006).
"""

from __future__ import annotations

from kanon_tui.core.privacy.l_diversity import DistinctLDiversity

__all__ = ["PSensitivity"]


class PSensitivity(DistinctLDiversity):
    """At least so many distinct values."""

    key, bound_key, example = "p", "min", 2
    name, letter, title = "p", "p", "p-sensitivity"
    check_title = title
    report_title = title
    report_meaning = "every class has at least this many values"
    form_name = "p_sensitive"
