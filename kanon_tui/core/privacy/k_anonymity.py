"""k-anonymity: every published record shares its quasi-identifier cells with k − 1 others.

k is no requirement like the others: every algorithm builds classes of k records by itself. So this
says only how k is measured and named; the other models are what is required beyond it.

Reference: Samarati and Sweeney, Protecting privacy when disclosing information (1998).
"""

from __future__ import annotations

from kanon_tui.core.numeric import Int64s
from kanon_tui.core.privacy.model import PrivacyFigure

__all__ = ["KAnonymity"]


class KAnonymity(PrivacyFigure):
    """The number of records in the smallest class."""

    name = "k"
    title = "k-anonymity"
    check_title = "records in the smallest class"
    report_title = "k"
    report_meaning = "records that share every published combination, at least"
    at_least = True

    @staticmethod
    def measured(sizes: Int64s) -> int:
        """The size of the smallest class; 0 where there is none."""
        return int(sizes.min()) if len(sizes) else 0
