"""A package that is not installed is one sentence that says what to install."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from kanon_tui.core.errors import InputError
from kanon_tui.core.optional import EXTRAS, is_installed, require
from tests.commands.command_line import ENVIRONMENT, PATIENCE
from tests.paths import ROOT, SAMPLES
from tests.test_supply_chain import normalised
from tests.zstd import zstd

OPTIONAL = tuple(module.partition(".")[0] for modules in EXTRAS.values() for module in modules)
"""The top-level names that an installation without extras lacks."""

BEHIND_A_GATE = {
    "kanon_tui/core/dask/cluster.py": {"dask", "distributed"},
    "kanon_tui/core/report/pdf.py": {"fpdf", "pymupdf_fonts"},
    "kanon_tui/web/server.py": {"aiohttp"},
    "kanon_tui/web/session.py": {"aiohttp"},
}
"""Files that are imported only after what they need was required."""

BEFORE_314 = pytest.mark.skipif(sys.version_info >= (3, 14), reason="zstd is a module of Python")

HIDING = """
import sys
from importlib.abc import MetaPathFinder

class Hidden(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {hidden!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Hidden())
"""


def run_without(*hidden: str, code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", HIDING.format(hidden=hidden) + code],
        cwd=folder,
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def command(*arguments: object) -> str:
    return (
        "from kanon_tui.cli import main\n"
        f"sys.exit(main({[str(argument) for argument in arguments]!r}))\n"
    )


def test_the_table_of_extras_is_that_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    packages = packages_distributions()
    for extra, modules in EXTRAS.items():
        wanted = {normalised(line) for line in project["optional-dependencies"][extra]}
        brought = {
            normalised(module if "." in module else packages[module][0]) for module in modules
        }
        assert wanted <= brought, extra
        assert brought - wanted <= {"scipy"}, extra  # which scikit-learn brings
    (everything,) = project["optional-dependencies"]["all"]
    names = everything.partition("[")[2].rstrip("]").split(",")
    assert set(names) == EXTRAS.keys()


def imported(tree: ast.Module) -> set[str]:
    """Return the top-level names that a file imports when it runs."""
    names: set[str] = set()
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
        waiting += ast.iter_child_nodes(node)
    return names


def test_every_optional_package_is_imported_by_require() -> None:
    optional = set(OPTIONAL)
    direct = {
        path.relative_to(ROOT).as_posix(): imported(ast.parse(path.read_text())) & optional
        for path in (ROOT / "kanon_tui").rglob("*.py")
    }
    assert {path: names for path, names in direct.items() if names} == BEHIND_A_GATE


def test_what_is_required_is_imported() -> None:
    assert require("sklearn.tree", "a test").__name__ == "sklearn.tree"
    assert is_installed("sklearn")


def test_a_package_that_cannot_be_loaded_is_to_be_installed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "altair").mkdir()
    (tmp_path / "altair" / "__init__.py").write_text("raise ImportError('libx.so is missing')")
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.partition(".")[0] == "altair"]:
        monkeypatch.delitem(sys.modules, name)
    sentence = r"a chart needs the library altair, .*--force-reinstall 'kanon-tui\[plots\]'"
    with pytest.raises(InputError, match=sentence):
        require("altair", "a chart")


def test_what_a_package_lacks_itself_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "no_such_driver", None)
    with pytest.raises(ImportError, match=r"data\.csv: it needs the library no_such_driver, which"):
        require("no_such_driver.engine", "it", "data.csv")


CENSUS = SAMPLES / "census" / "project.yaml"
UTILITY = ("utility", CENSUS, "--release", "release.csv", "--target", "income_class")


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("release") / "release.csv"
    run_without(code=command("run", CENSUS, "--out", path), folder=path.parent)
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("hidden", "arguments", "extra"),
    [
        (("sklearn", "scipy"), UTILITY, "analysis"),
        (("sklearn",), UTILITY, "analysis"),
        (("scipy",), ("risk", CENSUS, "--population", 1_000_000), "analysis"),
        (("shtab",), ("completion", "bash"), "completion"),
        pytest.param(
            ("backports",),
            ("check", "a.csv.zst", "--quasi", "age", "--k", 2),
            "zstd",
            marks=BEFORE_314,
        ),
        pytest.param(
            ("backports",), ("run", CENSUS, "--out", "release.csv.zst"), "zstd", marks=BEFORE_314
        ),
        (("xlsxwriter",), ("run", CENSUS, "--out", "release.xlsx"), "excel"),
        (("pyreadstat",), ("run", CENSUS, "--out", "release.sav"), "stats"),
        (("duckdb",), ("run", CENSUS, "--out", "release.duckdb"), "databases"),
        (("fpdf",), ("run", CENSUS, "--report", "report.pdf"), "pdf"),
        (("distributed",), ("run", CENSUS, "--engine", "dask", "--out", "a.csv"), "dask"),
        (("cryptography",), ("run", CENSUS, "--engine", "dask", "--out", "a.csv"), "dask"),
        (("aiohttp",), ("serve", "--port", 0), "serve"),
        (("textual_serve",), ("serve", "--port", 0), "serve"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, tuple) else value,
)
def test_a_command_says_what_to_install(
    hidden: tuple[str, ...],
    arguments: tuple[object, ...],
    extra: str,
    release: Path,
    tmp_path: Path,
) -> None:
    (tmp_path / "release.csv").symlink_to(release)
    (tmp_path / "a.csv.zst").write_bytes(zstd.compress(b"age\n34\n34\n"))
    done = run_without(*hidden, code=command(*arguments), folder=tmp_path)
    assert done.returncode == 2, done.stderr
    (sentence,) = done.stderr.splitlines()[-1:]
    assert "not installed" in sentence
    assert f"pip install 'kanon-tui[{extra}]'" in sentence
    assert {path.name for path in tmp_path.iterdir()} == {"a.csv.zst", "release.csv"}


@pytest.mark.skipif(sys.version_info < (3, 14), reason="zstd is a package of its own")
def test_a_python_without_zstd_says_so(release: Path, tmp_path: Path) -> None:
    arguments = ("run", CENSUS, "--out", "release.csv.zst")
    done = run_without("compression", code=command(*arguments), folder=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "needs a Python that was built with zstd" in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("hidden", "code", "extra"),
    [
        ("sklearn", "kn.sklearn", "analysis"),
        ("sklearn", "kn.utility(result, target='diagnosis')", "analysis"),
        ("sklearn", "kn.anonymize(project.with_(weights='ranking'))", "analysis"),
        ("altair", "kn.sweep(project, k=2).plot()", "plots"),
    ],
)
def test_python_says_what_to_install(hidden: str, code: str, extra: str, tmp_path: Path) -> None:
    before = f"import kanon_tui as kn\nproject = kn.Project.load({str(CENSUS)!r})\n"
    run = "result = kn.anonymize(project)\n" if "result" in code else ""
    tried = f"try:\n    {code}\nexcept kn.InputError as error:\n    print(error)\n"
    done = run_without(hidden, code=before + run + tried, folder=tmp_path)
    assert done.stderr == ""
    assert f"needs the library {hidden}, which is not installed" in done.stdout
    assert f"pip install 'kanon-tui[{extra}]'" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("run", CENSUS, "--out", "again.csv", "--report", "report.html"),
        ("check", "release.csv", "--quasi", "age,sex,zip", "--k", 2, "--sensitive", "diagnosis"),
        ("risk", CENSUS),
        ("levels", CENSUS),
        ("uniques", CENSUS),
        ("verify", "release.csv", "--project", CENSUS),
        ("sweep", SAMPLES / "ward" / "project.yaml", "--k", "2,3"),
        ("explain", SAMPLES / "ward" / "project.yaml"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_plain_installation_is_enough(
    arguments: tuple[object, ...], release: Path, tmp_path: Path
) -> None:
    (tmp_path / "release.csv").symlink_to(release)
    done = run_without(*OPTIONAL, code=command(*arguments), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "not installed" not in done.stderr


@pytest.mark.slow
def test_a_plain_installation_opens_every_screen(tmp_path: Path) -> None:
    code = f"""
import asyncio
from pathlib import Path
from kanon_tui.app import KanonApp

async def look():
    app = KanonApp(Path({str(CENSUS)!r}))
    async with app.run_test(size=(120, 40)) as pilot:
        for key in "1234567":
            await pilot.press(key)
            await pilot.pause()
            print(app.current_mode)

asyncio.run(look())
"""
    done = run_without(*OPTIONAL, code=code, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(set(done.stdout.split())) == 7
