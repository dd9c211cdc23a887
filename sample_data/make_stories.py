"""Makes invented tables: hospital visits, a labour survey, school records, a provider's customers.

Nobody in them exists. Only `Generator.random` is used, turned into everything else by hand, so the
same seed gives the same files on every platform.

    python make_stories.py     # writes visits/, labour/, school/ and provider/ beside this file
"""

from __future__ import annotations

import csv
import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
FIRST = """Ada Ben Cleo Dan Ella Finn Gia Hugo Ida Jon Kira Leo Mia Nils Ola Pia Quin Rosa Sam Tea
Udo Vera Will Xenia Yann Zoe"""
LAST = """Abel Brandt Conti Duran Ekholm Ferrer Greco Hansen Ito Jansen Keller Lund Moreau Novak
Okoye Petit Quist Rossi Silva Tanaka Ueda Vidal Weber Young Zidan"""


class Draw:
    """Uniform numbers, turned into whatever is needed."""

    def __init__(self, seed: int) -> None:
        self._uniform = np.random.default_rng(seed).random

    def below(self, most: int) -> int:
        return int(self._uniform() * most)

    def one_of(self, values: Sequence[Any], weights: Sequence[float] | None = None) -> Any:
        if weights is None:
            return values[self.below(len(values))]
        shares = np.cumsum(weights) / np.sum(weights)
        return values[int(np.searchsorted(shares, self._uniform(), side="right"))]

    def chance(self, share: float) -> bool:
        return float(self._uniform()) < share

    def around(self, middle: float, spread: float) -> float:
        """Roughly normal: the mean of twelve uniform numbers has variance 1/144."""
        return middle + spread * (float(np.sum([self._uniform() for _ in range(12)])) - 6.0)

    def name(self) -> str:
        return f"{self.one_of(FIRST.split())} {self.one_of(LAST.split())}"


def write(path: Path, columns: str, rows: list[list[Any]]) -> None:
    """One row per line, as a spreadsheet would write it; without columns there is no header."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if columns:
            writer.writerow(columns.split())
        writer.writerows(rows)


# --- hospital visits: one row per visit, patients come again --------------------------------------

WARDS = {
    "Cardiology": ["Angina", "Arrhythmia", "Heart failure", "Hypertension"],
    "Surgery": ["Appendicitis", "Fracture", "Gallstones", "Hernia"],
    "Medicine": ["Asthma", "Diabetes", "Gastritis", "Pneumonia"],
    "Maternity": ["Birth", "Preeclampsia"],
}
DISTRICTS = ["10115", "10117", "10119", "10243", "10245", "10247", "10405", "10407", "10409"]


def visits(draw: Draw, patients: int = 900) -> list[list[Any]]:
    rows = []
    for number in range(patients):
        sex = draw.one_of(("F", "M"))
        age = max(0, min(97, round(draw.around(48, 21))))
        zip_code, name = draw.one_of(DISTRICTS), draw.name()
        chronic = draw.chance(0.12 + age / 250)
        wards = list(WARDS)[:3] + (["Maternity"] if sex == "F" and 18 <= age <= 45 else [])
        ward = draw.one_of(wards)
        for _ in range(1 + draw.below(9) if chronic else 1 + draw.below(2)):
            admitted = dt.date(2025, 1, 1) + dt.timedelta(days=draw.below(365))
            illness = draw.one_of(WARDS[ward])
            days = max(1, round(draw.around(4, 2)))
            rows.append([f"P{number:04d}", name, admitted, age, sex, zip_code, ward, illness, days])
    return sorted(rows, key=lambda row: (row[2], row[0]))


# --- a labour survey: every respondent stands for many people -------------------------------------

REGIONS = {"North": (9, 310), "East": (7, 240), "South": (12, 420), "West": (14, 510)}
EDUCATION = ("Primary", "Lower secondary", "Upper secondary", "Bachelor", "Master or doctorate")
OCCUPATIONS = ("Care", "Crafts", "Farming", "Industry", "Office", "Sales", "Science", "Teaching")


def labour(draw: Draw, respondents: int = 2400) -> list[list[Any]]:
    rows = []
    for number in range(respondents):
        region = draw.one_of(list(REGIONS), [people for people, _ in REGIONS.values()])
        age = min(74, max(15, round(draw.around(43, 14))))
        sex = draw.one_of(("F", "M"), (52, 48))
        education = draw.one_of(EDUCATION, (6, 17, 41, 23, 13))
        occupation = draw.one_of(OCCUPATIONS, (13, 12, 4, 17, 22, 15, 7, 10))
        hours = max(4, min(70, round(draw.around(36 if sex == "M" else 31, 8))))
        skill = EDUCATION.index(education)
        wage = max(9, round(draw.around(13 + 4 * skill + min(age, 50) / 10, 4), 1))
        weight = round(max(40, draw.around(REGIONS[region][1], 60)), 1)
        rows.append(
            [f"R{number:05d}", region, age, sex, education, occupation, hours, wage, weight]
        )
    return rows


# --- school records: dates of birth and zip codes -------------------------------------------------

SCHOOL_ZIPS = [f"{area}{street:02d}" for area in ("501", "502", "511") for street in range(12)]
LANGUAGES = ("Arabic", "English", "German", "Polish", "Spanish", "Turkish", "Ukrainian")
SUPPORT = ("none", "hearing", "language", "learning", "mobility")


def school(draw: Draw, pupils: int = 1500) -> list[list[Any]]:
    rows = []
    for number in range(pupils):
        born = dt.date(2008, 8, 1) + dt.timedelta(days=draw.below(365 * 8))
        grade = (dt.date(2025, 8, 1) - born).days // 365 - 6
        language = draw.one_of(LANGUAGES, (5, 3, 68, 6, 2, 12, 4))
        support = draw.one_of(SUPPORT, (80, 2, 9 if language != "German" else 2, 7, 2))
        mark = min(6, max(1, round(draw.around(2.9 + (support == "learning"), 1))))
        rows.append(
            [f"S{number:04d}", draw.name(), born, draw.one_of(("f", "m")),
             draw.one_of(SCHOOL_ZIPS), language, max(1, grade), support, mark]
        )  # fmt: skip
    return rows


# --- a provider's customers: what the SBC thesis says of a table that was never published ---------
CROWDED = {1: 4, 11: 6, 12: 6, 13: 22, 14: 9, 23: 7, 27: 12, 28: 5, 40: 4}


def customers(draw: Draw, people: int = 1150) -> list[list[Any]]:
    weights = [CROWDED.get(province, 1) for province in range(1, 48)]
    rows = []
    for _ in range(people):
        age = min(99, max(4, round(draw.around(42, 15))))
        province = draw.one_of(range(1, 48), weights)
        charge = max(0, 50 * round(draw.around(40, 22)))
        rows.append([draw.one_of(("Male", "Female"), (74, 26)), f"A{province:02d}", age, charge])
    return rows


def main() -> None:
    write(
        HERE / "visits" / "visits.csv",
        "patient name admitted age sex zip ward diagnosis days",
        visits(Draw(11)),
    )
    write(
        HERE / "labour" / "labour.csv",
        "respondent region age sex education occupation hours wage weight",
        labour(Draw(12)),
    )
    write(
        HERE / "school" / "school.csv",
        "pupil name born sex zip home_language grade support mark",
        school(Draw(13)),
    )
    write(HERE / "provider" / "customers.data", "", customers(Draw(14)))


if __name__ == "__main__":
    main()
