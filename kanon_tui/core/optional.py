"""Import packages that an installation may lack; what is missing is one sentence.

A package of an extra is imported where it is used, and only by `require`:

    duckdb = require("duckdb", "reading a DuckDB database", "people.duckdb")

The sentence says what needs which library, and what to install.
"""

import sys
from importlib import import_module
from typing import Any

from kanon_tui.core.errors import InputError

EXTRAS = {
    "analysis": ("sklearn", "scipy"),
    "completion": ("shtab",),
    "dask": ("cryptography", "dask", "distributed"),
    "databases": ("duckdb", "sqlalchemy"),
    "excel": ("fastexcel", "xlsxwriter"),
    "pdf": ("fpdf", "pymupdf_fonts"),
    "plots": ("altair",),
    "serve": ("aiohttp", "textual_serve"),
    "stats": ("pyreadstat",),
    "zstd": ("backports.zstd",),
}
"""The modules that every extra of the package brings."""
_INTERFACE = ("rich", "textual")
"""Modules that an installation of the library and the commands alone may lack."""
_DRIVERS = {
    "MySQLdb": "mysqlclient",
    "psycopg": "psycopg[binary]",
    "psycopg2": "psycopg2-binary",
}
"""Packages of database drivers that are not called like their modules."""
_TO_INSTALL = {
    **{module: f"kanon-tui[{extra}]" for extra, modules in EXTRAS.items() for module in modules},
    **dict.fromkeys(_INTERFACE, "kanon-tui"),
    **_DRIVERS,
}


class MissingPackageError(InputError, ImportError):
    """The error of a part of Kanon whose package is not installed."""


def require(module: str, purpose: str, where: str = "", instead: str = "") -> Any:
    """Import a module of an optional package.

    Parameters
    ----------
    module : str
        Its full name, such as `sklearn.tree`.
    purpose : str
        What needs it: `reading an Excel file`.
    where : str
        The file or key at fault, where there is one.
    instead : str
        What can be done without it.

    Returns
    -------
    Any
        The module.

    Raises
    ------
    MissingPackageError
        If it is not installed or cannot be loaded.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise missing_package(error, module, purpose, where, instead) from None


def zstd_module(purpose: str, where: str = "") -> Any:
    """Return the module `zstd` of Python 3.14, or of `backports.zstd` before.

    Parameters
    ----------
    purpose : str
        What needs it: `reading a .zst file`.
    where : str
        The file, where its name is known.

    Raises
    ------
    MissingPackageError
        If the package is not installed, or Python was built without zstd.
    """
    if sys.version_info < (3, 14):
        return require("backports.zstd", purpose, where)
    try:
        from compression import zstd
    except ImportError:
        place = f"{where}: " if where else ""
        raise MissingPackageError(
            f"{place}{purpose} needs a Python that was built with zstd, which this one was not; "
            "use another, or a .gz file"
        ) from None
    return zstd


def is_installed(module: str) -> bool:
    """Return whether a module of an optional package can be imported."""
    try:
        import_module(module)
    except ImportError:
        return False
    return True


def missing_package(
    error: ImportError, module: str, purpose: str, where: str = "", instead: str = ""
) -> MissingPackageError:
    """Return the error for an import that failed; parameters as of `require`."""
    package = module if module in _TO_INSTALL else module.partition(".")[0]
    missing = (error.name or package).partition(".")[0]
    if package.startswith(f"{missing}."):  # a namespace that several packages share
        missing = package
    to_install = _TO_INSTALL.get(package, package)
    if isinstance(error, ModuleNotFoundError):
        fault = f"the library {missing}, which is not installed; pip install '{to_install}'"
    else:
        fault = (
            f"the library {missing}, which is installed but cannot be loaded; "
            f"pip install --force-reinstall '{to_install}'"
        )
    place = f"{where}: " if where else ""
    alternative = f", or {instead}" if instead else ""
    return MissingPackageError(f"{place}{purpose} needs {fault}{alternative}")
