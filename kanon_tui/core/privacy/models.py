"""The contents page: every model that can be required beyond k, by its name in reports.

A new model is one file like `t_closeness` and one line here. Project files, forms, searches,
clusterings, reports and explanations take it from this list. `verify` must learn its definition a
second time, by itself: a release is never published on the word of the code that made it.

Other packages add models through the entry point group `kanon_tui.privacy_models`, each with a
second formula of its own (`proof`); reports say whose proof it is.
"""

from kanon_tui.core.errors import InputError
from kanon_tui.core.plug_ins import load_plug_ins
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

GROUP = "kanon_tui.privacy_models"
"""The entry point group of plug-ins: the name of a model and where its class is."""
_NEEDED = (
    "name", "title", "report_meaning", "key", "bound_key", "bound_type", "help", "condition",
    "violation", "example", "letter",
)  # fmt: skip
_TAKEN = {*MODELS, *(model.key for model in MODELS.values()),
          "k", "max_suppression", "suppress", "personal_k", "risk"}  # fmt: skip


def _check_proof(plug_in: type[PrivacyModel], where: str) -> None:
    if plug_in.key != plug_in.name:
        raise InputError(f"{where} has the key '{plug_in.key}', which must be its name")
    if plug_in.proof is None:
        raise InputError(f"{where} brings no second formula as `proof`")


PLUG_INS = load_plug_ins(GROUP, PrivacyModel, _NEEDED, _TAKEN, _check_proof)
MODELS |= PLUG_INS.found
