"""Makes a census-like table of invented people: the data of the `census` sample.

Nobody in it exists. Every column is drawn from small tables below, each depending on the columns
drawn before it, so that the associations of a real census are there to be kept or lost:

    place → race → age, sex → education → marital status → occupation → income → diagnosis

Outliers are there on purpose: very old people, rare combinations of race and place, and an income
with a Pareto tail. Only `Generator.random` is used (uniform numbers, turned into everything else by
hand), so the same seed gives the same file on every platform.

    python make_census.py --out census.csv --zips zip.csv          # the bundled files
    python make_census.py --records 1000000 --seed 7 --out big.csv # more of the same, for timing
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import numpy.typing as npt

CENSUS_DAY = np.datetime64("2020-04-01")
COLUMNS = (
    "name,birth_date,age,sex,zip,race,marital_status,education,occupation,income,diagnosis,"
    "income_class"
)
MISSING_DIAGNOSES = 0.0037  # share of people whose diagnosis is unknown, written `?`

# --- places: three-digit zip areas, with how many people live there and what the place is like ---
# profile: 0 suburban, 1 big city, 2 small town, 3 border or coast, 4 prosperous city
AREAS = {
    ("Massachusetts", "Northeast"): [("010", 2, 2), ("021", 7, 4), ("024", 4, 4)],
    ("New Jersey", "Northeast"): [("070", 5, 0), ("071", 5, 1), ("088", 3, 0)],
    ("New York", "Northeast"): [("100", 6, 4), ("104", 6, 1), ("112", 8, 1), ("148", 2, 2)],
    ("Illinois", "Midwest"): [("600", 5, 0), ("606", 9, 1), ("618", 2, 2)],
    ("Indiana", "Midwest"): [("462", 7, 1), ("465", 3, 2), ("479", 3, 2)],
    ("Ohio", "Midwest"): [("432", 5, 0), ("441", 5, 1), ("452", 4, 0)],
    ("Florida", "South"): [("328", 4, 0), ("331", 7, 3), ("336", 4, 0)],
    ("Georgia", "South"): [("303", 6, 1), ("314", 2, 2)],
    ("Texas", "South"): [("752", 6, 1), ("770", 8, 3), ("785", 3, 3), ("787", 4, 4)],
    ("Arizona", "West"): [("850", 5, 0), ("857", 3, 3)],
    ("California", "West"): [("900", 8, 3), ("921", 5, 3), ("937", 3, 2), ("941", 5, 4)],
    ("Washington", "West"): [("981", 5, 4), ("992", 2, 2)],
}
ZIPS_PER_AREA = 10

RACES = ["White", "Black", "Hispanic", "Asian", "Pacific Islander", "Native American", "Multiple"]
RACE_BY_PROFILE = [
    [71.0, 10.0, 11.0, 4.5, 0.3, 0.6, 2.6],
    [42.0, 30.0, 20.0, 5.0, 0.2, 0.5, 2.3],
    [84.0, 5.0, 7.0, 1.4, 0.1, 0.9, 1.6],
    [40.0, 9.0, 41.0, 6.0, 0.5, 1.0, 2.5],
    [62.0, 7.0, 10.0, 17.0, 0.4, 0.4, 3.2],
]
INCOME_BY_PROFILE = [1.10, 0.92, 0.88, 0.94, 1.35]

# --- people ---------------------------------------------------------------------------------------
AGE_STARTS = [17, 18, 25, 35, 45, 55, 65, 75, 85, 95, 102]  # uniform inside each band
AGE_WEIGHTS = [1.6, 11.6, 17.5, 16.8, 16.2, 16.6, 12.2, 5.6, 1.8, 0.1]
OLDER_IF_WHITE = 6  # share (in %) of young adults who are drawn a second time if White

EDUCATIONS = [
    "Primary school",
    "Some high school",
    "High school",
    "Some college",
    "Associate",
    "Bachelor",
    "Master",
    "Professional",
    "Doctorate",
]
EDUCATION_BY_COHORT = [  # 17, 18-24, 25-44, 45-64, 65 and older
    [1.0, 88.0, 11.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [0.8, 10.0, 31.0, 40.0, 6.0, 11.9, 0.3, 0.0, 0.0],
    [2.4, 6.0, 25.5, 18.0, 10.4, 24.6, 9.6, 1.7, 1.8],
    [3.2, 7.0, 29.6, 17.5, 10.5, 20.2, 8.9, 1.7, 1.4],
    [5.4, 9.0, 33.2, 17.0, 7.3, 16.1, 8.8, 1.8, 1.4],
]
EDUCATION_LIFT = [1.0, 0.82, 0.72, 1.30, 0.85, 0.75, 1.0]  # by race: odds of a degree

STATUSES = ["Never married", "Married", "Separated", "Divorced", "Widowed"]
STATUS_BY_AGE = [  # 17-19, 20-24, 25-34, 35-44, 45-54, 55-64, 65-74, 75 and older
    [98.5, 1.4, 0.1, 0.0, 0.0],
    [86.0, 12.4, 0.8, 0.8, 0.0],
    [52.0, 41.0, 2.0, 4.8, 0.2],
    [24.0, 60.5, 3.0, 12.0, 0.5],
    [16.0, 62.0, 3.2, 17.2, 1.6],
    [11.0, 64.0, 2.4, 18.0, 4.6],
    [7.0, 64.0, 1.4, 16.0, 11.6],
    [5.0, 50.0, 0.8, 8.2, 36.0],
]
WIDOWED_IF_WOMAN = 2.2

OCCUPATIONS = [  # name, typical income, share of women, weight by school/college/degree/graduate
    ("Executive", 96_000, 0.38, [1, 3, 8, 13]),
    ("Manager", 68_000, 0.46, [4, 8, 15, 12]),
    ("Engineer", 79_000, 0.20, [0.4, 2, 11, 10]),
    ("Physician", 145_000, 0.42, [0, 0, 0.1, 9]),
    ("Nurse", 61_000, 0.86, [0.4, 6, 8, 5]),
    ("Teacher", 49_000, 0.74, [0.5, 3, 11, 17]),
    ("Lawyer", 104_000, 0.40, [0, 0.1, 0.3, 7]),
    ("Clerk", 35_000, 0.72, [12, 19, 11, 3]),
    ("Salesperson", 38_000, 0.49, [11, 15, 12, 4]),
    ("Cook", 23_000, 0.45, [8, 4, 1, 0.2]),
    ("Cleaner", 24_000, 0.56, [11, 4, 1, 0.2]),
    ("Care worker", 26_000, 0.86, [7, 7, 3, 1]),
    ("Guard", 39_000, 0.22, [4, 5, 2, 0.4]),
    ("Mechanic", 43_000, 0.04, [11, 8, 2, 0.3]),
    ("Builder", 40_000, 0.05, [13, 6, 2, 0.3]),
    ("Driver", 38_000, 0.12, [12, 6, 2, 0.4]),
    ("Farmer", 32_000, 0.24, [4, 2, 1, 0.4]),
    ("Student", 9_000, 0.53, [0, 0, 0, 0]),  # these three are drawn by age, below
    ("Retired", 29_000, 0.52, [0, 0, 0, 0]),
    ("Not working", 14_000, 0.60, [16, 9, 6, 4]),
]
SCHOOLING = np.array([0, 0, 0, 1, 1, 2, 3, 3, 3])  # education → school, college, degree, graduate

DIAGNOSES = [  # name, weight at 17-34, 35-49, 50-64, 65 and older, share of women
    ("No finding", [62, 48, 30, 16], 0.50),
    ("Influenza", [8, 7, 6, 6], 0.50),
    ("Asthma", [7, 6, 5, 4], 0.56),
    ("Back pain", [5, 9, 10, 8], 0.50),
    ("Depression", [8, 8, 7, 5], 0.64),
    ("Anxiety", [7, 6, 4, 2], 0.62),
    ("Hypertension", [1.5, 7, 15, 20], 0.49),
    ("Type 2 diabetes", [0.6, 4, 9, 12], 0.46),
    ("Arthritis", [0.3, 2, 7, 12], 0.62),
    ("Heart disease", [0.1, 1, 4, 9], 0.39),
    ("Stroke", [0.05, 0.3, 1, 3], 0.50),
    ("Breast cancer", [0.05, 0.6, 1.4, 1.6], 0.99),
    ("Prostate cancer", [0.0, 0.1, 1.2, 2.2], 0.0),
    ("HIV", [0.3, 0.5, 0.4, 0.1], 0.24),
]


def words(text: str) -> list[str]:
    """A list of names, written as a text to keep it short."""
    return text.split()


# --- names ----------------------------------------------------------------------------------------
WOMEN = words(
    "Ada Alma Amy Anna Bea Carla Cora Dana Diane Dora Edna Ella Elsa Emma Erin Eva Fay Fiona Gail "
    "Gina Grace Hana Helen Hope Ida Ines Iris Ivy Jana Jane Joan Judy June Kara Kate Kim Lara Leah "
    "Lena Lily Lina Lisa Lois Lucy Mae Maria Mary Maya Mei Mia Mina Mona Nell Nina Nora Olga Pam "
    "Rita Rosa Rose Ruth Sara Sofia Tara Tess Tina Uma Vera Wanda Yoko Zoe"
)
MEN = words(
    "Abe Adam Alan Amir Andy Ben Bill Carl Chen Cole Cyrus Dale Dan Dean Diego Drew Earl Eli Emil "
    "Eric Evan Felix Finn Frank Gary Glen Gus Hank Hugo Ian Igor Ivan Jack Jake Joel John Jorge "
    "Juan Karl Kai Kurt Lars Leo Liam Luis Luke Marc Max Miles Neil Noah Omar Otto Owen Pablo Paul "
    "Pete Ralph Raj Ray Ross Roy Sam Sean Seth Theo Tim Toby Tom Vic Wade Walt Will Zack"
)
FAMILIES = words(
    "Abbot Acker Adler Alden Amato Ames Aoki Arden Arias Ashby Avery Bae Bailey Baker Banks Barlow "
    "Barros Bates Beck Bell Berg Blake Boone Bowen Boyd Brandt Bravo Brooks Burke Byrne Cain "
    "Calder Cano Carey Castro Chan Chase Choi Clay Cobb Cohen Conti Cooke Corbin Costa Craft Cruz "
    "Curtis Daley Dalton Dang Davila Dawes Deleon Diaz Dixon Doyle Drake Duarte Dunn Duran Eaton "
    "Egan Ellis Engel Erskine Espino Evers Farah Farley Faust Fenn Ferrer Finch Fisk Flores Foley "
    "Fong Forbes Fox Frey Fuentes Gage Gallo Garza Gates Gibbs Glass Gomez Goode Grant Greer Haas "
    "Hahn Hale Hardy Hart Hayes Heller Herrera Hobbs Holt Horn Hoyt Hsu Huang Hunt Ibarra Ingram "
    "Irwin Ito Jacobs Jain Jarvis Jensen Jonas Joyce Kane Kaplan Katz Keane Keller Kemp Kent Khan "
    "Kirk Klein Knox Koch Kurtz Lamb Lane Lara Larsen Leal Lee Lentz Levy Lind Lloyd Logan Lopez "
    "Lowe Lund Lynch Mack Maher Malik Mann Marsh Mata Mayer Medina Mendez Meyer Mills Moss Munoz "
    "Nair Nash Nava Nguyen Nolan Novak Nunez Oakes Ochoa Olsen Ortiz Osborn Otero Pace Park Parra "
    "Patel Payne Pena Perez Pham Pike Platt Pope Price Quinn Ramos Reyes Rich Rios Roth Rowe Ruiz "
    "Rush Salas Sato Sharp Shaw Singh Soto Stark Stone Swan Tate Todd Tran Tully Vance Vega Voss "
    "Wade Walsh Ward Webb Wolf Wong Wu Yang York Young Zamora Zuniga"
)


def zip_rows() -> list[tuple[str, str, str, str, str]]:
    """The hierarchy of the zip codes: zip, area, state, region, country."""
    return [
        (f"{area}{suffix:02d}", f"{area}**", state, region, "United States")
        for (state, region), areas in AREAS.items()
        for area, _, _ in areas
        for suffix in _suffixes(area)
    ]


def _suffixes(area: str) -> list[int]:
    """Ten different two-digit endings, other ones in every area."""
    first = int(area) % 7
    return [(first + 1 + 9 * i) % 100 for i in range(ZIPS_PER_AREA)]


def pick(uniform: np.ndarray, weights: npt.ArrayLike, row: np.ndarray | None = None) -> np.ndarray:
    """Turn uniform numbers into category codes; `row` chooses the line of weights per person."""
    lines = np.atleast_2d(np.asarray(weights, dtype=np.float64))
    ends = np.cumsum(lines, axis=1) / lines.sum(axis=1, keepdims=True)
    ends[:, -1] = 1.0
    if row is None:
        return np.searchsorted(ends[0], uniform, side="right")
    codes = np.empty(len(uniform), dtype=np.int64)
    for number, line in enumerate(ends):
        chosen = row == number
        codes[chosen] = np.searchsorted(line, uniform[chosen], side="right")
    return codes


def people(records: int, seed: int) -> dict[str, np.ndarray]:
    """Draw the table, column by column; text columns are arrays of strings."""
    rng = np.random.default_rng(seed)

    def uniform() -> np.ndarray:
        return rng.random(records)

    def normal() -> np.ndarray:  # the sum of twelve uniforms: bell enough, and exact everywhere
        return sum((uniform() for _ in range(12)), start=np.zeros(records)) - 6.0

    areas = [area for places in AREAS.values() for area in places]
    popularity = 1.0 / np.arange(1, ZIPS_PER_AREA + 1)  # a few zips of an area hold most people
    zip_code = pick(uniform(), np.concatenate([share * popularity for _, share, _ in areas]))
    profile = np.array([kind for _, _, kind in areas])[zip_code // ZIPS_PER_AREA]
    race = pick(uniform(), RACE_BY_PROFILE, profile)

    band = pick(uniform(), AGE_WEIGHTS)
    again = (uniform() < OLDER_IF_WHITE / 100) & (race == 0) & (band < 3)
    band = np.where(again, pick(uniform(), AGE_WEIGHTS), band)
    starts = np.array(AGE_STARTS)
    age = starts[band] + (uniform() * np.diff(starts)[band]).astype(np.int64)
    woman = uniform() < np.interp(age, [17, 60, 75, 100], [0.49, 0.51, 0.57, 0.75])

    cohort = np.digitize(age, [18, 25, 45, 65])
    lift = np.array(EDUCATION_LIFT)[race] * np.array(INCOME_BY_PROFILE)[profile]
    education = pick(np.minimum(uniform() ** (1.0 / lift), 1 - 1e-12), EDUCATION_BY_COHORT, cohort)
    too_young = (age < 21) & (education > EDUCATIONS.index("Some college"))
    education = np.where(too_young, EDUCATIONS.index("Some college"), education)

    decade = np.digitize(age, [20, 25, 35, 45, 55, 65, 75])
    by_sex = np.repeat(np.array(STATUS_BY_AGE), 2, axis=0)
    by_sex[1::2, 4] *= WIDOWED_IF_WOMAN
    status = pick(uniform(), by_sex, 2 * decade + woman)

    women = np.array([share for _, _, share, _ in OCCUPATIONS])
    wanted = np.array([weights for *_, weights in OCCUPATIONS]).T
    by_sex = np.stack([wanted * (1 - women), wanted * women], axis=1).reshape(8, -1)
    occupation = pick(uniform(), by_sex, 2 * SCHOOLING[education] + woman)
    learns = uniform() < np.interp(age, [17, 18, 22, 26, 30], [0.85, 0.60, 0.38, 0.10, 0.01])
    rests = uniform() < np.interp(age, [54, 60, 65, 70, 80], [0.01, 0.15, 0.55, 0.82, 0.96])
    names = [name for name, *_ in OCCUPATIONS]
    occupation = np.where(learns & (age < 36), names.index("Student"), occupation)
    occupation = np.where(rests, names.index("Retired"), occupation)

    income = _income(age, woman, education, occupation, profile, normal(), uniform(), uniform())
    above = (income > 50_000) != (uniform() < 0.02)

    phase = np.digitize(age, [35, 50, 65])
    share = np.array([women for *_, women in DIAGNOSES])
    weight = np.array([weights for _, weights, _ in DIAGNOSES]).T
    by_sex = np.stack([weight * (1 - share), weight * share], axis=1).reshape(8, -1)
    diagnosis = pick(uniform(), by_sex, 2 * phase + woman)
    diagnosis_text = np.array([name for name, *_ in DIAGNOSES], dtype=object)[diagnosis]
    diagnosis_text[np.argsort(uniform())[: round(MISSING_DIAGNOSES * records)]] = "?"

    return {
        "name": _names(woman, uniform(), uniform(), uniform()),
        "birth_date": _birth_dates(age, uniform()).astype(str),
        "age": age,
        "sex": np.where(woman, "Female", "Male"),
        "zip": np.array([row[0] for row in zip_rows()])[zip_code],
        "race": np.array(RACES)[race],
        "marital_status": np.array(STATUSES)[status],
        "education": np.array(EDUCATIONS)[education],
        "occupation": np.array(names)[occupation],
        "income": income,
        "diagnosis": diagnosis_text,
        "income_class": np.where(above, ">50K", "<=50K"),
    }


def _income(
    age: np.ndarray,
    woman: np.ndarray,
    education: np.ndarray,
    occupation: np.ndarray,
    profile: np.ndarray,
    noise: np.ndarray,
    lucky: np.ndarray,
    tail: np.ndarray,
) -> np.ndarray:
    """Yearly income in dollars, to the hundred: log-normal around the pay, with a long tail."""
    typical = np.array([pay for _, pay, *_ in OCCUPATIONS], dtype=np.float64)[occupation]
    career = np.interp(age, [17, 22, 30, 45, 58, 75], [0.55, 0.72, 0.92, 1.10, 1.15, 0.95])
    schooling = np.array([0.85, 0.92, 1.0, 1.0, 1.04, 1.12, 1.18, 1.25, 1.2])[education]
    gap = np.where(woman, 0.90, 1.0)
    place = np.array(INCOME_BY_PROFILE)[profile]
    income = typical * career * schooling * gap * place * np.exp(0.42 * noise)
    income = np.where(lucky < 0.006, income * 2.0 * (1.0 - tail) ** (-1.0 / 1.3), income)
    return (np.rint(income / 100.0) * 100).astype(np.int64)


def _birth_dates(age: np.ndarray, uniform: np.ndarray) -> np.ndarray:
    """A day on which somebody of this age on census day may have been born, all equally likely."""
    months = CENSUS_DAY.astype("datetime64[M]") - 12 * age.astype("timedelta64[M]")
    last = months.astype("datetime64[D]")  # census day is the first of a month
    year_before = (months - np.timedelta64(12, "M")).astype("datetime64[D]")
    days = (last - year_before).astype(np.int64)
    return last - (uniform * days).astype(np.int64).astype("timedelta64[D]")


def _names(
    woman: np.ndarray, first: np.ndarray, middle: np.ndarray, family: np.ndarray
) -> np.ndarray:
    """First name, middle initial, family name: nearly unique, and nobody's in particular."""
    given = np.where(
        woman,
        np.array(WOMEN)[(first * len(WOMEN)).astype(np.int64)],
        np.array(MEN)[(first * len(MEN)).astype(np.int64)],
    )
    initial = np.array(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))[(middle * 26).astype(np.int64)]
    surname = np.array(FAMILIES)[(family * len(FAMILIES)).astype(np.int64)]
    return np.char.add(np.char.add(np.char.add(given, " "), np.char.add(initial, " ")), surname)


def main() -> None:
    """Write the table and, when asked, the hierarchy of its zip codes."""
    parser = argparse.ArgumentParser(description="Make a census-like table of invented people.")
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1790, help="year of the first US census")
    parser.add_argument("--out", type=Path, required=True, help="csv file to write")
    parser.add_argument("--zips", type=Path, help="also write the hierarchy of the zip codes here")
    options = parser.parse_args()

    table = people(options.records, options.seed)
    lines = map(",".join, zip(*(column.astype(str) for column in table.values()), strict=True))
    options.out.write_text("\n".join((COLUMNS, *lines)) + "\n", encoding="utf-8", newline="\n")
    if options.zips:
        rows = "\n".join(";".join(row) for row in zip_rows())
        options.zips.write_text(rows + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
