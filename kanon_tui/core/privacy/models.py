"""The contents page: every model that can be required beyond k, by its name in reports.

A new model is one file like `t_closeness` and one line here. Project files, forms, searches,
clusterings, reports and explanations take it from this list. `verify` must learn its definition a
second time, by itself: a release is never published on the word of the code that made it.
"""

from __future__ import annotations

from kanon_tui.core.privacy.alpha_k import AlphaKAnonymity
from kanon_tui.core.privacy.l_diversity import (
    DistinctLDiversity,
    EntropyLDiversity,
    PSensitivity,
    RecursiveDiversity,
)
from kanon_tui.core.privacy.likeness import BasicLikeness, DisclosurePrivacy, EnhancedLikeness
from kanon_tui.core.privacy.model import PrivacyModel
from kanon_tui.core.privacy.t_closeness import HierarchicalTCloseness, TCloseness

MODELS: dict[str, type[PrivacyModel]] = {
    "l_distinct": DistinctLDiversity,
    "l_entropy": EntropyLDiversity,
    "t": TCloseness,
    "p": PSensitivity,
    "alpha": AlphaKAnonymity,
    "l_recursive": RecursiveDiversity,
    "t_hierarchy": HierarchicalTCloseness,
    "beta": BasicLikeness,
    "beta_enhanced": EnhancedLikeness,
    "delta": DisclosurePrivacy,
}
