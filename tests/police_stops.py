"""A table like published police stops: the place of a stop stands in four columns."""

import numpy as np
import polars as pl

from kanon_tui.core.project.project import Project, project_from_mapping

SEED = 7
PLACES = 240


def police_stops(records: int = 600) -> pl.DataFrame:
    """Return stops whose latitude tells little and whose place is given four times."""
    chance = np.random.default_rng(SEED)
    place = chance.integers(0, PLACES, records)
    return pl.DataFrame(
        {
            "idNum": [f"17-{number:06}" for number in range(records)],
            "problem": chance.choice(["suspicious", "traffic"], records),
            "race": chance.choice(["Black", "White", "Asian"], records),
            "gender": chance.choice(["Male", "Female"], records),
            "lat": [f"{44.9 + (where * 37 % PLACES) / 1000:.4f}" for where in place],
            "long": [f"{-93.3 - (where * 53 % PLACES) / 1000:.4f}" for where in place],
            "policePrecinct": [str(where % 5 + 1) for where in place],
            "neighborhood": [f"N{where % 40:02}" for where in place],
        }
    )


def stops_project(path: str = "-", **sections: object) -> Project:
    """Return a project that generalises the latitude and publishes the longitude as it is."""
    roles = {
        "idNum": "identifier",
        "problem": "other",
        "race": "quasi",
        "gender": "quasi",
        "lat": "quasi",
        "long": "other",
        "policePrecinct": "other",
        "neighborhood": "other",
    }
    mapping = {
        "data": {"path": path},
        "attributes": {name: {"role": role} for name, role in roles.items()},
        "privacy": {"k": 5},
        "algorithm": {"name": "mondrian"},
    }
    return project_from_mapping({**mapping, **sections})
