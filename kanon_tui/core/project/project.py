"""A project: which data, what each attribute is, how much privacy, which algorithm.

Plain frozen dataclasses with defaults, whose fields declare how a project file writes them. The
application edits them with `dataclasses.replace`, which keeps every state for undo.

`with_overrides` replaces single settings, as the command line asks for.
"""

import dataclasses
import html as markup
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from kanon_tui.core import addresses
from kanon_tui.core.algorithms import find_algorithm
from kanon_tui.core.errors import InputError, KanonError, check_known
from kanon_tui.core.fields.declaration import (
    Checked,
    Field,
    declarations_of,
    declared,
    fields_of,
    keys_of,
    mapping_of,
    read_fields,
    section,
    whole_number,
    write_fields,
)
from kanon_tui.core.fields.located import LocatedValue, Plain
from kanon_tui.core.fields.yaml_text import dump, parse, read_yaml
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.sections import (
    ALGORITHM,
    AlgorithmChoice,
    AttributeSpec,
    DataSource,
    ReleaseContext,
    ReportTexts,
    Resources,
)
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.data_files import part_files
from kanon_tui.core.table.formats import DATA_ENDINGS
from kanon_tui.core.table.role_guesses import guess_attribute
from kanon_tui.core.table.source import Source, open_source, preview_table, read_table
from kanon_tui.core.table.table import Table
from kanon_tui.core.table.value_formats import fitting_format
from kanon_tui.core.table.writing import check_not_read, write_text
from kanon_tui.core.task.output import Output
from kanon_tui.core.task.task import EVEN_EMPHASIS
from kanon_tui.core.task.weights import Weighting

__all__ = [
    "AlgorithmChoice", "AttributeSpec", "DataSource", "Project", "moved",
    "project_from_mapping", "project_to_mapping", "project_to_text",
]  # fmt: skip


@dataclass(frozen=True)
class Project(Checked):
    """All settings that make a run reproducible."""

    data: DataSource = declared(
        help="The table", type=section(DataSource), required="data: {path: FILE}"
    )
    attributes: Mapping[str, AttributeSpec] = declared(
        help="The attributes, in the order in which algorithms use them; data.unlisted decides "
        "about other columns",
        type=mapping_of(section(AttributeSpec), "a mapping of names"),
        factory=dict,
    )
    weights: Weighting = declared(
        "equal",
        "Weights: equal, higher for attributes less associated with the others, or by their "
        "importance in decision trees for the sensitive ones",
    )
    rule_emphasis: float = declared(
        EVEN_EMPHASIS,
        "How much rules count against granularity in research value, from 0 (not at all) to 1 "
        "(alone), for attributes without their own",
        low=0,
        high=1,
    )
    overlap: bool = declared(
        True,
        "Clusterings: whether published ranges of an attribute may overlap; false makes them equal "
        "or disjoint over the whole release, which loses more",
    )
    privacy: Privacy = declared(
        Privacy(), "Requirements on the release", type=section(Privacy), always=True
    )
    algorithm: AlgorithmChoice = declared(
        help="The algorithm and its parameters",
        type=ALGORITHM,
        factory=lambda: AlgorithmChoice(guessed=True),
        always=True,
    )
    seed: int = declared(
        0, "Seed of random choices; the same seed gives the same release", low=0, always=True
    )
    output: Output = declared(Output(), "How the release is written", type=section(Output))
    context: ReleaseContext = declared(
        ReleaseContext(),
        "Recipients, controls and accepted risk of the release, for the report",
        type=section(ReleaseContext),
    )
    report: ReportTexts = declared(
        ReportTexts(),
        "Texts of the report beside the figures, for those who sign it",
        type=section(ReportTexts),
    )
    run: Resources = declared(Resources(), "Engine and memory of a run", type=section(Resources))
    path: Path | None = None
    """The file it was loaded from or saved to."""
    environment: Mapping[str, str] | None = dataclasses.field(
        default=None, repr=False, compare=False
    )
    """The environment variables that an address may name; None: the project is not trusted."""

    def __post_init__(self) -> None:
        """Take a path for the data and mappings for sections, and check all values."""
        place = object.__setattr__
        if isinstance(self.data, str | Path):
            place(self, "data", DataSource(path=str(self.data)))
        for name, field in declarations_of(Project).items():
            value = getattr(self, name)
            if isinstance(value, Mapping) and name != "attributes" and isinstance(field, Field):
                place(self, name, field.read(LocatedValue("Project", name, value)))
        specs = self.attributes
        if not all(isinstance(spec, AttributeSpec) for spec in specs.values()):
            place(self, "attributes", {name: _as_spec(name, spec) for name, spec in specs.items()})
        super().__post_init__()

    def _repr_html_(self) -> str:
        """Return the HTML that a notebook shows: requirements, algorithm, columns; no values."""
        rows = [
            (
                name,
                spec.role or "guessed",
                spec.kind or "",
                (spec.hierarchy or {}).get("builder", ""),
            )
            for name, spec in self.attributes.items()
        ]
        head = "".join(f"<th>{title}</th>" for title in ("column", "role", "kind", "hierarchy"))
        body = "".join(
            "<tr>" + "".join(f"<td>{markup.escape(str(cell))}</td>" for cell in row) + "</tr>"
            for row in rows
        )
        sentence = f"{self.title}: k = {self.privacy.k}, {self.algorithm.name}, seed {self.seed}"
        table = f"<table><tr>{head}</tr>{body}</table>" if rows else ""
        return f"<p>{markup.escape(sentence)}</p>{table}"

    @classmethod
    def load(cls, path: str | Path) -> "Project":
        """Read a project file (.yaml), or a configuration of the UTD toolbox (.xml) as a project.

        Errors name the key at fault.
        """
        path = Path(path)
        return replace(project_from_mapping(_read_document(path), path.name), path=path)

    def save(self, path: str | Path) -> "Project":
        """Write the project as YAML, whole or not at all; return it with its new path.

        Saved into its own file, what has not changed stays as it was written, comments included.
        Saved into another folder, its relative paths keep naming the same files.
        """
        path = Path(path)
        project = moved(self, path)
        check_not_read(path, self.files_named)
        same_file = self.path is not None and os.path.realpath(self.path) == os.path.realpath(path)
        text = (_edited_text(project) if same_file else None) or project_to_text(project)
        write_text(path, text, force=True)
        return project

    @classmethod
    def from_dict(cls, mapping: Mapping[str, Any]) -> "Project":
        """Return the project of a mapping with the keys of a project file.

        Parameters
        ----------
        mapping : mapping
            What the YAML file would hold; relative paths start in the current folder.

        Returns
        -------
        Project
            The checked project.

        Raises
        ------
        InputError
            If a key is unknown or a value is not allowed; the sentence names it.

        Examples
        --------
        >>> import kanon_tui as kn
        >>> project = kn.Project.from_dict({"data": {"path": "census.csv"}, "privacy": {"k": 3}})
        >>> project.privacy.k
        3
        """
        return project_from_mapping(mapping)

    def with_(self, **changes: Any) -> "Project":
        """Return the project with other settings.

        Parameters
        ----------
        **changes
            Keys of `privacy` (``k=10``, ``l=2``), of the project (``seed=1``, ``weights="auto"``),
            ``algorithm="udc"`` or ``algorithm={"name": …, "params": …}``, and ``params={…}`` for
            the algorithm. None takes a setting back to its default.

        Returns
        -------
        Project
            A new project; this one stays as it is.

        Raises
        ------
        InputError
            If a setting is unknown or not allowed.

        Examples
        --------
        >>> import kanon_tui as kn
        >>> project = kn.Project.from_dict({"data": {"path": "census.csv"}})
        >>> changed = project.with_(k=10, algorithm="mondrian")
        >>> changed.privacy.k, changed.algorithm.name, project.privacy.k
        (10, 'mondrian', 5)
        """
        written, of_privacy = project_to_mapping(self), keys_of(Privacy)
        known_settings = (*keys_of(Project), *of_privacy, "params")
        for key, value in changes.items():
            check_known(key, known_settings, f"there is no setting '{key}'")
            if key == "params":
                key, value = "algorithm", {**written["algorithm"], "params": value}
            elif key == "algorithm" and not (isinstance(value, Mapping) and "name" in value):
                value = {"name": value}
            section = written["privacy"] if key in of_privacy else written
            section[key] = value
            if value is None:
                del section[key]
        changed = replace(project_from_mapping(written, self.title), path=self.path)
        if changes.keys() & {"algorithm", "params"}:
            return changed
        return replace(changed, algorithm=self.algorithm)

    @property
    def own_file(self) -> Path | None:
        """The project file to save into; None for a new project and one read from a toolbox."""
        return self.path if self.path and self.path.suffix.lower() != TOOLBOX_ENDING else None

    @property
    def folder(self) -> Path:
        """The folder where relative paths start."""
        return self.path.parent if self.path is not None else Path()

    @property
    def data_path(self) -> Path:
        """The data file, or the folder or pattern of its parts.

        Of a database on a server it is a name that holds no secrets.
        """
        path = self.data.path
        return self.folder / (addresses.address_name(path) if addresses.is_address(path) else path)

    @property
    def data_place(self) -> str:
        """The absolute path or address of the data; equal for projects that read the same data."""
        return (
            self.data.path
            if addresses.is_address(self.data.path)
            else str(self.data_path.resolve())
        )

    def read_data(self, preview: bool = False) -> Table:
        """Return the table of the project; with `preview`, of a long text only the beginning."""
        read = preview_table if preview else read_table
        return read(self._readable_place, self.data.read_options)

    def open_data(self, on_bytes: Callable[[int], None]) -> Source:
        """Return the data of the project in pieces; `on_bytes` gets the bytes that are scanned."""
        return open_source(self._readable_place, self.data.read_options, on_bytes)

    @property
    def _readable_place(self) -> Path | str:
        """The path of the data, or its address with the values of environment variables.

        They are never shown or written.
        """
        if not addresses.is_address(self.data.path):
            return self.data_path
        for name in addresses.variables_in(self.data.path):
            if self.environment is None:
                raise InputError(
                    f"{self.title}: data.path names the environment variable {name}, which may "
                    "hold a secret and goes where the address leads; add --trust to kanon-tui run "
                    "if you know the project"
                )
            if name not in self.environment:
                raise InputError(f"{self.title}: data.path: {name} is not set; set it, then run")
        return addresses.with_variables(self.data.path, self.environment or {})

    @property
    def data_files(self) -> tuple[Path, ...]:
        """The data file, or its parts and their folder; the path as written if there are none."""
        if addresses.is_address(self.data.path):
            file = addresses.address_file(self.data.path)
            return () if file is None else (file,)
        try:
            files = part_files(self.data_path)
        except KanonError:
            return (self.data_path,)
        folder = (self.data_path,) if self.data_path.is_dir() else ()
        return (*folder, *files)

    @property
    def inputs(self) -> tuple[Path, ...]:
        """All files that a run reads; none of them is ever written over."""
        return self.files_named if self.path is None else (self.path, *self.files_named)

    @property
    def files_named(self) -> tuple[Path, ...]:
        """The data, the files of hierarchies, and the key of pseudonyms if there are any."""
        hierarchies = (spec.hierarchy or {} for spec in self.attributes.values())
        files = (builder[key] for builder in hierarchies for key in _FILE_KEYS if key in builder)
        coded = any(spec.identifier == "pseudonym" for spec in self.attributes.values())
        keys = [self.output.pseudonym_key] if coded else []
        return (*self.data_files, *(self.folder / str(file) for file in (*files, *keys)))

    @property
    def title(self) -> str:
        """A short name for messages."""
        return self.path.name if self.path is not None else self.data_path.name or "."

    @property
    def name(self) -> str:
        """A short name for people: the folder's where the file is called project.yaml."""
        if self.path is not None and self.path.stem == "project":
            return self.path.resolve().parent.name
        return self.title

    def confirmed(self, names: Iterable[str] | None = None) -> "Project":
        """Return the project with the guesses for these columns (None: all) confirmed."""
        named = self.attributes if names is None else set(names)
        return replace(
            self,
            attributes={
                name: replace(spec, guessed=False) if spec.guessed and name in named else spec
                for name, spec in self.attributes.items()
            },
        )

    def completed(self, table: Table, for_run: bool = False, asked: Collection[str] = ()) -> Self:
        """Return the project with role and kind of every column, guessed where not given.

        Attributes keep the order of the project; the remaining columns follow in table order. A
        column that the project does not name is generalised if it seems quasi-identifying. Nobody
        has looked at the others: they are left out like identifiers, unless `data.unlisted` says
        publish. What seems to be an identifier is never published. With `data.unlisted: guess` they
        have the role that they seem to have, marked as a guess, and are named from then on.
        `for_run` spares what a run does not ask for: the kind of a column that it does not work
        with, and is not `asked` for.
        """
        unlisted_guessed = self.data.unlisted == "guess"
        for name in self.attributes:
            problem = f"{self.title}: attributes.{name}: the data has no such column"
            check_known(name, table.name_set, problem)
        completed: dict[str, AttributeSpec] = {}
        for name in (*self.attributes, *(n for n in table.names if n not in self.attributes)):
            given_spec = self.attributes.get(name)
            unlisted, spec = given_spec is None, given_spec or AttributeSpec()
            given_role = None if given_spec is None else given_spec.role
            if unlisted and unlisted_guessed:
                spec = AttributeSpec(guessed=True)
            if unlisted and self.data.unlisted == "omit":
                spec = replace(spec, role=Role.IDENTIFIER)
            idle = spec.role in (Role.IDENTIFIER, Role.OTHER) and name != self.privacy.personal_k
            if not (for_run and idle) or name in asked:
                spec = _with_role_and_kind(spec, table, name)
            if spec.role is Role.PERSON and given_role is None:
                earlier_specs = (*self.attributes.values(), *completed.values())
                counted = not unlisted or unlisted_guessed
                if not counted or any(earlier.role is Role.PERSON for earlier in earlier_specs):
                    spec = replace(spec, role=Role.IDENTIFIER)
            if unlisted and self.data.unlisted == "drop" and spec.role is not Role.QUASI:
                spec = replace(spec, role=Role.IDENTIFIER)
            if name == self.privacy.personal_k and (given_role is None or spec.guessed):
                spec = replace(spec, role=Role.IDENTIFIER)  # a person's wish is not published
            completed[name] = spec
        data = replace(self.data, unlisted="drop") if unlisted_guessed else self.data
        return replace(self, data=data, attributes=completed)


def _as_spec(name: str, settings: Any) -> AttributeSpec:
    """Return the settings of an attribute that are given as such, as a mapping or as a role."""
    if isinstance(settings, AttributeSpec):
        return settings
    if isinstance(settings, Mapping):
        return read_fields(AttributeSpec, LocatedValue("Project", f"attributes.{name}", settings))
    return AttributeSpec(settings)


TOOLBOX_ENDING = ".xml"
VERSION = 1
"""The version of the form of project files; there is one so far."""
_FILE_KEYS = ("file", "utd")
"""Keys of a hierarchy whose values are paths."""


def _with_role_and_kind(spec: AttributeSpec, table: Table, name: str) -> AttributeSpec:
    """Return the spec with role and kind; values are read only if one of them is missing.

    Of a column that is looked at, the marks of numbers and the form of dates are filled in, too.
    """
    kind = spec.kind
    if kind is None and spec.format is not None:
        kind = Kind.DATE if isinstance(spec.format, str) else Kind.NUMERIC
    if spec.role and kind and (spec.format or kind is not Kind.DATE):
        return replace(spec, kind=kind)
    guess = guess_attribute(table, name)
    kind = kind or guess.kind
    return replace(
        spec,
        role=spec.role or guess.role,
        kind=kind,
        format=spec.format or fitting_format(kind, guess.format),
    )


def _read_document(path: Path) -> Any:
    """Return the document in a project file."""
    if path.suffix.lower() in DATA_ENDINGS:
        raise InputError(
            f"{path.name} is a data file, not a project; write a project file with "
            f"data: {{path: {path.name}}} or open it in the application"
        )
    if path.suffix.lower() == TOOLBOX_ENDING:
        from kanon_tui.core.hierarchy.utd_files import read_toolbox  # reads XML, which few need

        return read_toolbox(path)
    document = read_yaml(path, "project")
    if document is None:
        raise InputError(f"{path.name} is empty; a project needs at least data: {{path: FILE}}")
    return document


def _check_version(located: LocatedValue) -> None:
    """Refuse a document that is no project, or a project of a later version."""
    if not isinstance(located.value, Mapping):
        raise located.refuse(
            f"{located.described} is not a project; write a mapping that starts with "
            "data: {path: FILE}"
        )
    if "version" not in located.value:
        return
    version = located.at("version", located.value["version"])
    if whole_number(low=1).read(version) != VERSION:
        raise version.refuse(
            f"{version.described} is not a version this Kanon reads; it reads version {VERSION}"
        )


def project_from_mapping(mapping: Any, file: str = "project") -> Project:
    """Check a mapping (from YAML or made in Python) and return its project.

    >>> project_from_mapping({"data": {"path": "census.csv"}, "privacy": {"k": 3}}).privacy.k
    3
    """
    located = LocatedValue(file, "", mapping)
    _check_version(located)
    return read_fields(Project, located, also=("version",))


def project_to_mapping(project: Project) -> dict[str, Any]:
    """Return a project as plain dicts, lists, texts and numbers; defaults are left out.

    k, the algorithm and the seed are always there: they make a release and should be seen.
    """
    return {"version": VERSION, **write_fields(project)}


def project_to_text(project: Project) -> str:
    """Return a project as YAML."""
    return dump(project_to_mapping(project), blocks=("data", "attributes"))


def _edited_text(project: Project) -> str | None:
    """Return the project's file with only the changed entries rewritten; None if impossible."""
    from kanon_tui.core.fields.yaml_edit import edit_yaml  # only where a project is saved

    assert project.path is not None
    try:
        text = project.path.read_bytes().decode("utf-8")
        before = project_from_mapping(parse(text.removeprefix(_BYTE_ORDER_MARK), ""))
        edited = edit_yaml(text, project_to_mapping(before), project_to_mapping(project))
        after = project_from_mapping(parse(edited.removeprefix(_BYTE_ORDER_MARK), ""))
    except (OSError, ValueError, KanonError):
        return None  # the file is missing or holds no project
    same = project_to_text(after) == project_to_text(project)
    return edited if same else None


_BYTE_ORDER_MARK = "\ufeff"


def moved(project: Project, path: Path) -> Project:
    """Return the project with paths that name the same files when read from `path`."""
    old, new = os.path.realpath(project.folder), os.path.realpath(path.parent)

    def rebased(name: str) -> str:
        if old == new or os.path.isabs(name) or addresses.is_address(name):
            return name
        return Path(os.path.relpath(os.path.join(old, name), new)).as_posix()

    attributes = {}
    for name, spec in project.attributes.items():
        hierarchy = spec.hierarchy
        if hierarchy is not None:
            hierarchy = {
                key: rebased(value) if key in _FILE_KEYS else value
                for key, value in hierarchy.items()
            }
        attributes[name] = replace(spec, hierarchy=hierarchy)
    data = replace(project.data, path=rebased(project.data.path))
    output = replace(project.output, pseudonym_key=rebased(project.output.pseudonym_key))
    if not any(spec.identifier == "pseudonym" for spec in attributes.values()):
        output = project.output  # the default name of a file that is not used
    return replace(project, data=data, attributes=attributes, output=output, path=path)


_OF_PRIVACY = ("max_suppression", "suppress", "ties")


def with_overrides(
    project: Project,
    *,
    algorithm: str | None = None,
    parameters: Iterable[tuple[str, str]] = (),
    k: int | None = None,
    seed: int | None = None,
    levels: str | None = None,
    run: Mapping[str, str | None] | None = None,
) -> Project:
    """Return the project with these settings instead of its own; None keeps the project's.

    `parameters` are names and texts, read as the algorithm declares them, or the settings of
    privacy that have no option. `levels` is a string that a person chose, which `global` publishes.
    `run` has texts for the keys of `run`.
    """
    if levels is not None:
        if algorithm not in (None, "global"):
            raise InputError(
                f"--levels: publishes the levels that you name, so that {algorithm} would not run; "
                f"leave one of the two out"
            )
        algorithm, parameters = "global", [*parameters, ("levels", levels)]
    parameters = list(parameters)
    for_algorithm = [pair for pair in parameters if pair[0] not in _OF_PRIVACY]
    choice = _choice(project.algorithm, algorithm, for_algorithm)
    typed = {name: text for name, text in parameters if name in _OF_PRIVACY}
    fields_by_name = {field.name: field for field in (*fields_of(Privacy), *fields_of(Resources))}
    privacy: dict[str, Any] = {} if k is None else {"k": k}
    privacy |= {name: fields_by_name[name].parse(text, "--set") for name, text in typed.items()}
    resources = {
        name: fields_by_name[name].read(LocatedValue(f"--{name}", "", Plain(text)))
        for name, text in (run or {}).items()
        if text is not None
    }
    return replace(
        project,
        algorithm=choice,
        privacy=replace(project.privacy, **privacy),
        seed=project.seed if seed is None else seed,
        run=replace(project.run, **resources),
    )


def _choice(
    choice: AlgorithmChoice, name: str | None, parameters: Iterable[tuple[str, str]]
) -> AlgorithmChoice:
    parameters = list(parameters)
    if name is not None and name != choice.name:
        choice = AlgorithmChoice(name)  # the old parameters belong to the old algorithm
    elif name is not None or parameters:
        choice = replace(choice, guessed=False)
    algorithm = find_algorithm(choice.name, "--algorithm" if name else "algorithm.name")
    declared = {parameter.name: parameter for parameter in fields_of(algorithm)}
    values = dict(choice.params)
    for parameter, text in parameters:
        unknown = f"--set: {choice.name} has no parameter '{parameter}'"
        check_known(parameter, [*declared, *_OF_PRIVACY], unknown)
        values[parameter] = declared[parameter].parse(text, "--set")
    return replace(choice, params=values)
