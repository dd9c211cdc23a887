"""The bill of materials of Kanon in CycloneDX form, made from the lock file alone.

    python packaging/make_sbom.py > build/kanon-tui.cdx.json

Every pinned package is a component with its package URL and the hashes of the files that may be
installed. The same lock file gives the same bytes: there is no time and no random number in it.
"""

from __future__ import annotations

import json
import re
import sys
import uuid
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "constraints.txt"
VERSION = ROOT / "kanon_tui" / "core" / "version.py"
_PINNED = re.compile(r"(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;\\]+)(?: ; (?P<marker>[^\\]+))?")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


def components(lock: str) -> list[dict[str, Any]]:
    """Return a component per pinned package, in the order of the lock file."""
    found: list[dict[str, Any]] = []
    for line in lock.splitlines():
        if pinned := _PINNED.match(line):
            name, version = pinned["name"], pinned["version"]
            address = f"pkg:pypi/{name}@{version}"
            page = {"type": "distribution", "url": f"https://pypi.org/project/{name}/{version}/"}
            found.append(
                {
                    "type": "library",
                    "bom-ref": address,
                    "name": name,
                    "version": version,
                    "purl": address,
                    "externalReferences": [{**page, "hashes": []}],
                }
            )
            if pinned["marker"]:
                marker = {"name": "kanon-tui:marker", "value": pinned["marker"].strip()}
                found[-1]["properties"] = [marker]
        elif file := _HASH.search(line):
            hashes = found[-1]["externalReferences"][0]["hashes"]
            hashes.append({"alg": "SHA-256", "content": file[1]})
    return found


def bill_of_materials(lock: str, version: str) -> dict[str, Any]:
    """Return the bill of materials of a lock file."""
    number = uuid.uuid5(uuid.NAMESPACE_URL, f"kanon-tui {version}\n{lock}")
    own = f"pkg:pypi/kanon-tui@{version}"
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{number}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": own,
                "name": "kanon-tui",
                "version": version,
                "purl": own,
            }
        },
        "components": components(lock),
    }


if __name__ == "__main__":
    own_version = re.search(r'__version__ = "([^"]+)"', VERSION.read_text(encoding="utf-8"))
    assert own_version is not None
    made = bill_of_materials(LOCK.read_text(encoding="utf-8"), own_version[1])
    sys.stdout.write(json.dumps(made, indent=2) + "\n")
