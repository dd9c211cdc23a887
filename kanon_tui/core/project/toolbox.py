"""A configuration of the UTD anonymisation toolbox as a project.

    <config method='Mondrian' k='10'>
      <input filename='adult.data' separator=','/>
      <id> <att index='3' name='fnlwgt'/> </id>
      <qid> <att index='0' name='age'> <vgh value='[0:100)'> … </vgh> </att> … </qid>
      <sens> <att index='14' name='salary'> <map> … </map> </att> </sens>
    </config>

| there | here |
|---|---|
| method Datafly, Mondrian, Incognito (_K, _L, _T) | the algorithm; Mondrian with `cut: median` |
| k; l of Incognito_L, t of Incognito_T | `privacy`: k; l by entropy, or recursive with c; t |
| input | `data`: a text without header, from the folder of the configuration |
| id, qid, sens | identifiers, quasi-identifiers, sensitive attributes, by number of the column |
| map, vgh | kind categorical, else numeric; `hierarchy: {utd: …}` |

Other columns are published unchanged as in the toolbox, unless they seem quasi-identifying or
identifying, which Kanon never publishes unasked. The name and format of the output are not read: a
command or a person gives them. Anatomy has no counterpart.

Reference: the configuration files in the appendix of the SBC document.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.yaml_text import as_number
from kanon_tui.core.hierarchy.utd_files import read_configuration
from kanon_tui.core.text import joined

_ALGORITHMS: dict[str, dict[str, Any]] = {
    "mondrian": {"name": "mondrian", "params": {"cut": "median"}},
    "datafly": {"name": "datafly"},
    **{f"incognito{model}": {"name": "incognito"} for model in ("", "_k", "_l", "_t")},
}
_ROLES = {"id": "identifier", "qid": "quasi", "sens": "sensitive"}
_DEFAULTS = {"method": "Mondrian", "k": "10", "l": "10", "t": "0.2"}


def read_toolbox(path: Path) -> dict[str, Any]:
    """Return a toolbox configuration as the document of a project file."""
    config = read_configuration(path)
    given = {key.lower(): text.strip() for key, text in config.attrib.items() if text.strip()}
    settings = {**_DEFAULTS, **given}
    numbers = {
        key: text if as_number(text) is None else as_number(text) for key, text in settings.items()
    }  # what is no number, the project refuses
    method = settings["method"].lower()
    if method not in _ALGORITHMS:
        known = joined([name.capitalize() for name in _ALGORITHMS])
        raise InputError(f"{path.name}: the method {settings['method']} is not one of {known}")
    table = config.find("input")
    file = "" if table is None else table.get("filename", "").strip()
    if table is None or not file:
        raise InputError(
            f"{path.name} names no data, so that it is no configuration of a run; add "
            "<input filename='FILE'/>, or read its hierarchies with hierarchy: {utd: FILE}"
        )
    privacy: dict[str, Any] = {"k": numbers["k"]}
    if method == "incognito_l":
        recursive = {key: numbers[key] for key in ("c", "l") if "c" in settings}
        privacy["l"] = recursive or {"entropy": numbers["l"]}
    if method == "incognito_t":
        privacy["t"] = numbers["t"]
    columns = list(_columns(config, path.name))
    data = {
        "path": file,
        "delimiter": table.get("separator") or ",",
        "header": False,
        "rename": {f"column_{place + 1}": name for place, name, _ in columns},
        "unlisted": "publish",
    }
    return {
        "data": data,
        "attributes": {name: spec for _, name, spec in columns},
        "privacy": privacy,
        "algorithm": _ALGORITHMS[method],
    }


def _columns(config: Element, file: str) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yield number, name and settings of every column that the configuration names."""
    listed = [(role, att) for tag, role in _ROLES.items() for att in config.findall(f"{tag}/att")]
    names = [att.get("name", "").strip() for _, att in listed]
    places: set[int] = set()
    for (role, att), name in zip(listed, names, strict=True):
        index = att.get("index", "").strip()
        if not (index.isascii() and index.isdecimal()) or int(index) in places:
            raise InputError(
                f"{file}: attribute '{name}' has the index '{index}'; each needs the number of a "
                "column of its own, counted from 0"
            )
        place = int(index)
        places.add(place)
        column = name if name and names.count(name) == 1 else f"column_{place + 1}"
        spec: dict[str, Any] = {"role": role}
        if role != "identifier":
            spec["kind"] = "numeric" if att.find("map") is None else "categorical"
        if att.find("vgh") is not None:
            spec["hierarchy"] = {"utd": file, "attribute": name if name == column else index}
        yield place, column, spec
