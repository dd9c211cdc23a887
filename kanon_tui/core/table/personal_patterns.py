"""Words in names of columns and shapes of texts that point at personal data.

Words are in English, German, French, Spanish, Italian, Dutch and Portuguese, written without
accents and in small letters. `birth*` is any word that begins so, `a_b` are two words in a row,
`=nom` is a name that consists of this word only: a French *nom* is a name, while *nom_commune* is
that of a place and *nominal* none at all.

Shapes are those of e-mail addresses, IBANs, card numbers and the like. A column has a shape when
nearly all of a sample of its different texts have it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from kanon_tui.core.table.schema import Role


def words_of(name: str) -> str:
    """Return the words of a name: `dateOfBirth` and `Date-of-birth` are `date of birth`; é is e."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.replace("'", ""))
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(each for each in plain if not unicodedata.combining(each))
    return " ".join(re.findall(r"[^\W_]+", plain)).lower()


class WordList:
    """Words to find in the name of a column."""

    def __init__(self, words: str, pattern: str = "") -> None:
        """Take the words, and a pattern for names that are composed of parts."""
        forms = [re.sub(r"\*$", r"\\w*", word.replace("_", " ")) for word in words.split()]
        whole = "|".join(form[1:] for form in forms if form[0] == "=")
        inside = "|".join(form for form in forms if form[0] != "=")
        self._pattern = re.compile(rf"^(?:{whole})$|\b(?:{inside})\b|{pattern or '(?!)'}")

    def find(self, words: str) -> str:
        """Return the word of this list that a name (from `words_of`) contains; empty if none."""
        found = self._pattern.search(words)
        return found.group() if found else ""


_PEOPLE = (
    "(?:patient|person|user|customer|client|member|employee|student|subject|citizen|respondent"
    "|participant|household|record|account|card|policy|case|row|kunden|personen|mitglied|fall)"
)
_NUMBERED = "(?:id|no|nr|num|number|code|nummer|numero)"

ROLE_WORDS: dict[Role, WordList] = {
    Role.WEIGHT: WordList(
        """fnlwgt wgt pweight pwgtp wgtp perwt hhwt asecwt wtfinl finalwt instance_weight
        sample_weight* sampling_weight* survey_weight* person_weight household_weight
        design_weight final_weight expansion_factor hochrechnungsfaktor* gewichtungsfaktor*
        poids_sondage ponderation* factor_expansion peso_campionario =db090 =rb050 =pb040"""
    ),
    Role.IDENTIFIER: WordList(
        """ssn social_security email* e_mail mail phone* telephone mobile fax =name =names surname*
        forename* login username passport* iban bic mrn nhs uuid guid =id address street ip url
        driver_licen* drivers_licen* licence_plate license_plate licence_number license_number
        credit_card ip_address mac_address

        vorname* nachname* familienname* geburtsname* zuname telefon* handy* mobil mobilnummer
        rufnummer adresse* anschrift strasse* hausnummer ausweis* reisepass* steuernummer steuer_id
        sozialversicherung* versichertennummer krankenversichertennummer ahv ahvn13 kontonummer
        kennzeichen personalnummer matrikelnummer aktenzeichen kundennummer

        =nom =noms prenom* nom_famille nom_de_famille nom_usuel nom_de_naissance nom_naissance
        nom_du_patient nom_patient nom_client nom_complet courriel adresse_mail portable rue nir
        numero_securite_sociale securite_sociale passeport*

        =nombre nombre_completo apellido* primer_apellido correo correo_electronico telefono* movil
        direccion calle =dni =nie =nif dni documento_identidad pasaporte* seguridad_social

        =nome nome_completo nome_e_cognome cognome* codice_fiscale codicefiscale =cf cellulare
        indirizzo =via tessera_sanitaria passaporto* posta_elettronica

        =naam voornaam voornamen achternaam* familienaam telefoonnummer telefoon mobiel adres straat
        huisnummer bsn burgerservicenummer rijksregisternummer paspoort*

        sobrenome* apelido* =cpf cpf telefone* celular telemovel endereco morada =rua
        numero_de_utente passaporte* contribuinte

        =db030 =hb030 =rb030 =rb040 =pb030""",
        rf"\b(?:first|last|full|given|family|middle|maiden|user|{_PEOPLE}) ?names?\b"
        rf"|\b{_PEOPLE} ?{_NUMBERED}\b",
    ),
    Role.SENSITIVE: WordList(
        """diagnos* disease* illness* condition* problem* symptom* icd hiv aids cancer disorder*
        disab* medication* medicine* drug* treatment* therapy prescription* procedure* blood*
        genetic* mental* pregnan* test_result* cause_of_death income* salary wage wages earning*
        debt* credit* loan* wealth relig* faith politic* party vote* trade_union orientation
        sexual* crim* offence* offense* convict* arrest* alcohol* addict*

        krankheit* erkrankung* befund* behinderung* medikament* behandlung* therapie* blut*
        schwanger* todesursache einkommen* gehalt* lohn verdienst* schulden vermogen* konfession*
        partei* gewerkschaft* straf* vorstrafe*

        maladie* handicap* medicament* traitement* grossesse revenu* salaire* dette* parti syndicat*
        condamnation*

        enfermedad* discapacidad* medicamento* tratamiento* embarazo ingreso* salario* sueldo*
        deuda* partido sindicato

        malattia* patologia* disabilita* farmac* terapia* gravidanza reddito* stipendio*
        retribuzione debiti partito

        ziekte* aandoening* medicatie* behandeling* zwanger* inkomen* salaris* schuld* geloof*

        doenca* deficiencia* tratamento* gravidez renda* rendimento* ordenado divida* sindicato

        =eqincome""",
        r"\b[hp]y[0-9]{3}[gn]?\b",  # incomes of households and persons in EU-SILC
    ),
    Role.QUASI: WordList(
        """age ages sex gender birth* born dob yob death* died zip* postcode* post_code* postal* plz
        race ethnic* country nation* citizen* native origin language* educat* school* degree
        occupation* job profession* employ* work workclass industry marital* married relationship
        family children city town village county state province region* district location* place
        residence date* admission* admitted discharge* visit* latitude longitude =lat =lon =lng
        coordinate* gps household_size =hsize

        geburt* geboren gebdat* geb_dat* alter lebensalter geschlecht postleitzahl* wohnort* =ort
        stadt gemeinde* landkreis kreis bundesland =land staat staatsangehorigkeit* nationalitat*
        herkunft* sprache* bildung* schulabschluss* abschluss* beruf* tatigkeit* branche
        familienstand* verheiratet kinder* todesdatum sterbedatum sterbe* aufnahmedatum
        entlassungsdatum datum breitengrad langengrad koordinaten haushaltsgrosse

        naissance* ne_le =age sexe genre code_postal codepostal =cp ville commune* departement*
        pays nationalite* langue* diplome* etudes metier* emploi* situation_familiale
        etat_civil statut_marital deces admission sortie

        nacimiento* fecha* nacido edad sexo genero codigo_postal codigopostal ciudad municipio*
        provincia* pais nacionalidad* idioma* estudios ocupacion* profesion* estado_civil hijos
        fallecimiento* defuncion*

        nascita* =eta sesso codice_postale =cap citta comune* regione* paese nazionalita*
        cittadinanza* lingua istruzione titolo_di_studio professione* occupazione* stato_civile
        decesso data_di_ricovero data_ricovero

        geboorte* leeftijd geslacht woonplaats* plaats gemeente* provincie* =land nationaliteit*
        taal opleiding* beroep* burgerlijke_staat overlijden* opname* ontslag*

        nascimento* idade nascido cidade concelho freguesia distrito* nacionalidade* profissao
        ocupacao escolaridade habilitacoes estado_civil obito falecimento

        =db040 =rb080 =rb090 =pb140 =pb150 =pb190 =pb220a =pe040 =pl030 =pl031"""
    ),
}
"""The words that suggest each role, in the order in which roles are tried."""

PERSON_NUMBERS = WordList(
    """ssn mrn nhs uuid guid =id =pid =patient =patients =person =subject =participant =respondent
    =household =member =customer =client =pseudonym patientennummer fallnummer kundennummer
    versichertennummer krankenversichertennummer personalnummer matrikelnummer ahv ahvn13 nir bsn
    cpf =dni codice_fiscale numero_de_utente =db030 =hb030 =rb030 =rb040 =pb030""",
    rf"\b{_PEOPLE} ?{_NUMBERED}\b",
)
"""Names of columns that number people: where values repeat, a person has several records."""

CODES = WordList(
    """zip* postcode* post_code* postal* plz postleitzahl* code_postal codepostal codigo_postal
    codice_postale =cap =cp ssn phone* telephone mobile fax telefon* telefono* handy* fips code
    codes schlussel kennziffer"""
)
"""Names of digits that are codes and no numbers."""

DIAGNOSES = WordList("icd* diagnos* diag dx cause_of_death todesursache")
"""Names of columns whose codes are those of diseases."""

LABELS = WordList("id ids identifier key no nr num number nummer numero kennung")
"""Names of columns that number or name something."""


SAMPLE = 60
"""The most different texts that are looked at."""
FEWEST = 3
"""The fewest texts for which a shape is accepted."""
NEARLY_ALL = 0.9
_LONGEST = 200


SHAPES = {
    "e-mail addresses": r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}",
    "web addresses": r"(?:https?://|www\.)\S+",
    "UUIDs": r"\{?[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\}?",
    "IBANs": r"[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7} ?[A-Z0-9]{1,4}",
    "IP addresses": (
        r"(?:(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])\.){3}(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])"
        r"|(?:[0-9a-fA-F]{0,4}:){3,7}[0-9a-fA-F]{0,4}"
    ),
    "MAC addresses": r"(?:[0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}",
    "US social security numbers": r"[0-9]{3}-[0-9]{2}-[0-9]{4}",
    "AHV numbers": r"756\.?[0-9]{4}\.?[0-9]{4}\.?[0-9]{2}",
    "French social security numbers": (
        r"[12] ?[0-9]{2} ?(?:0[1-9]|1[0-2]|[2-9][0-9]) ?(?:[0-9]{2}|2[AB]) ?[0-9]{3} ?[0-9]{3}"
        r"(?: ?[0-9]{2})?"
    ),
    "Italian tax codes": r"[A-Z]{6}[0-9]{2}[A-EHLMPRST][0-9]{2}[A-Z][0-9]{3}[A-Z]",
    "Spanish identity numbers": r"[XYZ]?[0-9]{7,8}-?[A-HJ-NP-TV-Z]",
    "Brazilian tax numbers": r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}",
    "telephone numbers": (
        r"(?=(?:\D*[0-9]){7,15}\D*$)(?:\+[0-9]{1,3}[ ./-]?|\(?0)[0-9]*\)?"
        r"(?:[ ./()-]{0,2}[0-9]{2,})+"
    ),
    "coordinates": r"-?[0-9]{1,2}\.[0-9]{3,}\s*[,; ]\s*-?[0-9]{1,3}\.[0-9]{3,}",
}
"""Patterns of texts that name people, or of coordinates, by what they are."""


def shape_of(texts: Sequence[str]) -> str | None:
    """Return what a sample of different texts looks like, such as `IBANs`, or None."""
    if len(texts) < FEWEST:
        return None
    allowed_misses = len(texts) * (1 - NEARLY_ALL)
    for what, pattern in SHAPES.items():
        misses = 0
        for text in texts:
            if len(text) > _LONGEST or not re.fullmatch(pattern, text):
                misses += 1
                if misses > allowed_misses:
                    break
        else:
            return what
    return None
