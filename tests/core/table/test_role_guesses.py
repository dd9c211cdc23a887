"""What columns are taken for."""

from __future__ import annotations

import polars as pl
import pytest

from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.role_guesses import guess_attributes
from kanon_tui.core.table.table import as_table
from kanon_tui.core.table.value_formats import NumberFormat


def guess(name, values):
    return guess_attributes(as_table(pl.DataFrame({name: values})))[name]


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("ssn", Role.IDENTIFIER),
        ("E-Mail", Role.IDENTIFIER),
        ("phone_number", Role.IDENTIFIER),
        ("PatientID", Role.IDENTIFIER),
        ("name", Role.IDENTIFIER),
        ("lastName", Role.IDENTIFIER),
        ("driver's license", Role.IDENTIFIER),
        ("country name", Role.QUASI),
        ("Date of Birth", Role.QUASI),
        ("dateOfBirth", Role.QUASI),
        ("ZIP code", Role.QUASI),
        ("zipcode", Role.QUASI),
        ("native-country", Role.QUASI),
        ("AGE", Role.QUASI),
        ("ethnicity", Role.QUASI),
        ("marital_status", Role.QUASI),
        ("mileage", Role.OTHER),
        ("language_age", Role.QUASI),
        ("fnlwgt", Role.OTHER),  # no numbers, so no weights
        ("Diagnosis", Role.SENSITIVE),
        ("hiv_status", Role.SENSITIVE),
        ("Hauptdiagnose", Role.SENSITIVE),
        ("Jahreseinkommen", Role.SENSITIVE),
        ("hh_netto", Role.SENSITIVE),
        ("bula", Role.QUASI),
        ("famst", Role.QUASI),
        ("erwerbsstatus", Role.QUASI),
        ("Bruttogehalt", Role.SENSITIVE),
        ("Haltestelle", Role.OTHER),
        ("salary-class", Role.SENSITIVE),
        ("sexual orientation", Role.SENSITIVE),
        ("column_1", Role.OTHER),
    ],
)
def test_roles_by_name(name, role):
    assert guess(name, ["a", "b", "a"]).role is role


def test_survey_weights_are_numbers_of_such_a_name():
    for name in ("fnlwgt", "instance weight", "Hochrechnungsfaktor", "RB050"):
        assert guess(name, ["1700.1", "991.9", "1700.1"]).role is Role.WEIGHT
    assert guess("weight", ["71", "82", "71"]).role is Role.OTHER  # of a body


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["39", "50", "?"], Kind.NUMERIC),
        (["0", "1", "1"], Kind.NUMERIC),
        (["1.50", "-2e3", ""], Kind.NUMERIC),
        (["1,5", "2,25"], Kind.NUMERIC),
        (["1,234", "5,678"], Kind.CATEGORICAL),
        (["007", "123"], Kind.CATEGORICAL),
        (["0.5", "0"], Kind.NUMERIC),
        (["nan", "1"], Kind.CATEGORICAL),
        (["2020-01-31", "NA"], Kind.DATE),
        (["20-01-31"], Kind.CATEGORICAL),
        (["", "?"], Kind.CATEGORICAL),
    ],
)
def test_kinds_by_values(values, kind):
    assert guess("x", values).kind is kind


@pytest.mark.parametrize("name", ["zip", "Postal Code", "phone", "area code"])
def test_digits_named_like_codes_are_categories(name):
    assert guess(name, ["46201", "46202"]).kind is Kind.CATEGORICAL


def test_a_date_that_reads_two_ways_is_left_to_a_person():
    ambiguous = guess("when", ["01/02/2020", "03/02/2020"])
    assert (ambiguous.kind, ambiguous.format) == (Kind.CATEGORICAL, None)
    assert "%d/%m/%Y or as %m/%d/%Y" in ambiguous.reason
    assert "format" in ambiguous.reason
    clear = guess("when", ["01/02/2020", "31/02/2020", "31/01/2020"][::2])
    assert (clear.kind, clear.format) == (Kind.DATE, "%d/%m/%Y")


def test_values_that_single_people_out():
    many = range(30)
    assert guess("x", [f"A{i}" for i in many]).role is Role.IDENTIFIER
    assert guess("x", [str(7 * i + 1000) for i in many]).role is Role.IDENTIFIER
    assert guess("x", ["A0", *(f"A{i}" for i in range(29))]).role is Role.IDENTIFIER
    assert guess("x", ["A0"] * 5 + [f"A{i}" for i in range(25)]).role is Role.OTHER
    assert guess("x", [f"{i}.25" for i in many]).role is Role.OTHER
    assert guess("x", [f"2020-01-{i + 1:02}" for i in many]).role is Role.QUASI
    assert guess("income", [str(i) for i in many]).role is Role.SENSITIVE
    assert guess("visit_id", [f"A{i}" for i in many]).role is Role.QUASI
    assert guess("shop_id", ["1", "2"] * 15).role is Role.OTHER


def test_a_small_table_is_not_all_identifiers():
    frame = {"a": ["x", "y", "z", "u", "v"], "b": [3, 7, 9, 12, 20], "n": [2, 1, 3, 5, 4]}
    roles = {name: g.role for name, g in guess_attributes(as_table(pl.DataFrame(frame))).items()}
    assert roles == {"a": Role.OTHER, "b": Role.OTHER, "n": Role.IDENTIFIER}  # n numbers the rows


def test_few_words_among_numbers_are_pointed_out():
    reason = guess("x", [*map(str, range(40)), "unknown"]).reason
    assert "'unknown'" in reason
    assert "missing" in reason


@pytest.mark.parametrize(
    ("names", "role"),
    [
        (
            "Vorname Nachname Straße Telefon AHV-Nummer,AHV prénom nom courriel apellidos DNI "
            "correo_electronico codice_fiscale cognome voornaam achternaam BSN sobrenome CPF "
            "nome_completo IBAN ip_address Kundennummer kundennr household_id db030",
            Role.IDENTIFIER,
        ),
        (
            "Geburtsdatum GebDat PLZ Postleitzahl Geschlecht Wohnort fecha_de_nacimiento edad sexo "
            "código_postal date_naissance code_postal sexe commune data_di_nascita sesso comune "
            "geboortedatum postcode leeftijd data_nascimento idade latitude lon Familienstand "
            "db040 rb090",
            Role.QUASI,
        ),
        (
            "Einkommen Krankheit Diagnose revenu maladie enfermedad salario reddito malattia "
            "inkomen ziekte doença rendimento py010n hy020",
            Role.SENSITIVE,
        ),
        ("nominal nombre_de_pages nomenclature portion escape platform capital", Role.OTHER),
    ],
)
def test_names_in_seven_languages(names, role):
    for name in names.replace(",", " ").split():
        assert guess(name, ["a", "b", "a"]).role is role, name


@pytest.mark.parametrize(
    ("texts", "role"),
    [
        (["a.b@example.org", "c@example.com", "d@e.fr"], Role.IDENTIFIER),
        (["DE89 3704 0044 0532 0130 00", "FR7630006000011234567890189", "CH9300762011623852957"],
         Role.IDENTIFIER),
        (["123-45-6789", "987-65-4321", "111-22-3333"], Role.IDENTIFIER),
        (["756.1234.5678.97", "756.9217.0769.85", "756.3047.5009.62"], Role.IDENTIFIER),
        (["RSSMRA85T10A562S", "BNCGLI90A41F205X", "VRDLCU70P15H501T"], Role.IDENTIFIER),
        (["192.168.0.1", "10.0.0.17", "8.8.8.8"], Role.IDENTIFIER),
        (["550e8400-e29b-41d4-a716-446655440000"] * 3, Role.OTHER),  # one value is no shape
        (["+49 30 123456", "030/1234567", "(089) 123 456"], Role.IDENTIFIER),
        (["48.1374, 11.5755", "52.5200, 13.4050", "50.1109, 8.6821"], Role.QUASI),
        (["1234567", "2345678", "1234567"], Role.OTHER),
        (["Huber, A.", "Müller-Lang, B.", "O'Neill, Anna", "Huber, A."], Role.IDENTIFIER),
        (["Bern", "Basel", "Genf"], Role.OTHER),
    ],
)  # fmt: skip
def test_shapes_of_personal_data(texts, role):
    assert guess("x", texts * 4).role is role


def test_codes_of_diseases_are_sensitive_whatever_their_column_is_called() -> None:
    found = guess("code", ["E11.90", "I10", "F32.1", "S72.00", "U07.1", "M54.5"] * 5)
    assert found.role is Role.SENSITIVE
    assert "ICD-10" in found.reason
    assert guess("code", ["D1", "D2", "D3", "D4"] * 5).role is Role.OTHER


def test_a_date_of_birth_is_quasi_however_many_differ():
    births = [f"{1 + i % 28:02}.{1 + i % 12:02}.{1930 + i}" for i in range(60)]
    for name in ("Geburtsdatum", "fecha", "x"):
        found = guess(name, [*births, *births[:8]])
        assert (found.role, found.kind, found.format) == (Role.QUASI, Kind.DATE, "%d.%m.%Y")


def test_marks_of_numbers_are_found_and_doubt_is_told():
    found = guess("x", ["16.090,69", "900,5"])
    assert (found.kind, found.format) == (Kind.NUMERIC, NumberFormat(",", "."))
    doubt = guess("x", ["1,234", "5,678"])
    assert (doubt.kind, doubt.format) == (Kind.CATEGORICAL, None)
    assert doubt.readings == (NumberFormat(","), NumberFormat(".", ","))
    assert "1234,5 or as 1,234.5" in doubt.reason


def test_a_column_that_numbers_people_and_repeats_is_a_person() -> None:
    visits = pl.DataFrame(
        {
            "patient_id": [f"p{i // 3}" for i in range(24)],
            "PatientenNr": [str(1000 + i // 3) for i in range(24)],
            "hhid": [str(i // 2) for i in range(24)],
            "Geschl.": [*"mw"] * 12,
            "visit_id": [f"v{i}" for i in range(24)],
            "surname": [f"n{i // 3}" for i in range(24)],
            "age": [str(30 + i % 7) for i in range(24)],
        }
    )
    found = guess_attributes(as_table(visits))
    assert found["patient_id"].role is Role.PERSON
    assert "24 records are 8 people" in found["patient_id"].reason
    assert found["PatientenNr"].role is found["hhid"].role is Role.PERSON
    assert found["Geschl."].role is Role.QUASI
    assert found["surname"].role is Role.IDENTIFIER
    once = guess_attributes(as_table(visits[::3]))
    assert once["patient_id"].role is Role.IDENTIFIER
