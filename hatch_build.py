"""Compile the C kernels when the package is built, installed, or named on the command line.

A wheel gets the bill of materials of the lock file as well (`.dist-info/sboms`, PEP 770).

`python hatch_build.py` compiles them in place. The compiler is `CC`, `cc`, `gcc` or `clang`, and
where there is none `zig cc` from the `ziglang` package.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

SOURCES = Path(__file__).parent / "kanon_tui" / "core" / "kernels" / "c"
MAKE_SBOM = Path(__file__).parent / "packaging" / "make_sbom.py"
SBOM = "kanon-tui.cdx.json"
LIBRARY = SOURCES / ("libkanon.dylib" if sys.platform == "darwin" else "libkanon.so")

# No contraction and no fast math: the same bytes on every machine.
OPTIMISED = ["-O3", "-ffp-contract=off"]
COMMON = ["-std=c11", "-fPIC", "-fvisibility=hidden", "-fno-strict-aliasing"]
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
SANITIZED = ["-O1", "-g", "-ffp-contract=off", "-fno-omit-frame-pointer",
             "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]  # fmt: skip
ZIG = "ziglang>=0.15,<0.18"


class NoCompilerError(Exception):
    """There is nothing to compile the kernels with."""


def compiler() -> list[str]:
    """Return the command of the C compiler, or raise NoCompilerError."""
    named = os.environ.get("CC")
    if named:
        return shlex.split(named)
    for name in ("cc", "gcc", "clang"):
        if shutil.which(name):
            return [name]
    if importlib.util.find_spec("ziglang"):
        return [sys.executable, "-m", "ziglang", "cc"]
    raise NoCompilerError(
        "Kanon's kernels are C and no compiler was found: install one (Debian: apt install gcc; "
        "macOS: xcode-select --install), or the package ziglang from PyPI, or set CC."
    )


def baseline(command: list[str]) -> list[str]:
    """Return the flags that name the oldest processor to support."""
    machine = platform.machine().lower()
    zig = "ziglang" in command or Path(command[0]).name.startswith("zig")
    if machine in ("x86_64", "amd64"):
        return ["-mcpu=x86_64_v2"] if zig else ["-march=x86-64-v2"]
    return ["-mcpu=baseline"] if zig else []


def sources_digest() -> str:
    """Return the SHA-256 digest of all C sources and headers; `library.py` computes the same."""
    digest = hashlib.sha256()
    for path in sorted(SOURCES.glob("*.[ch]")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def is_current(library: Path) -> bool:
    """Return whether a library was made from the present sources."""
    return library.is_file() and sources_digest().encode() in library.read_bytes()


def build(library: Path = LIBRARY, flags: list[str] | None = None) -> None:
    """Compile all sources, one process per core, and link them."""
    command = compiler()
    options = [*command, *COMMON, *baseline(command), *(OPTIMISED if flags is None else flags)]
    options.append(f'-DKN_SOURCES="{sources_digest()}"')
    library.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        sources = sorted(SOURCES.glob("*.c"))
        objects = [Path(folder) / f"{path.stem}.o" for path in sources]
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            list(pool.map(lambda pair: run([*options, "-c", str(pair[0]), "-o", str(pair[1])]),
                          zip(sources, objects, strict=True)))  # fmt: skip
        linked = Path(folder) / library.name
        strip = ["-s"] if flags is None and sys.platform.startswith("linux") else []
        run([*options, *strip, "-shared", *map(str, objects), "-o", str(linked), "-lm"])
        beside = library.with_name(f".{library.name}.{os.getpid()}")
        shutil.copy(linked, beside)
        beside.replace(library)


def run(command: list[str]) -> None:
    """Run a compiler; end with what it printed if it fails."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"Kanon's kernels do not compile: {shlex.join(command)}\n{done.stderr}")


try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run as a script, without hatchling
    pass
else:

    class KernelsBuildHook(BuildHookInterface[Any]):
        """Puts the compiled kernels and the bill of materials into the wheel."""

        PLUGIN_NAME = "custom"
        materials: TemporaryDirectory[str] | None = None
        """Where the bill of materials lies while the wheel is built."""

        def dependencies(self) -> list[str]:
            """Return what the build needs besides hatchling: a compiler, where there is none."""
            try:
                compiler()
            except NoCompilerError:
                return [ZIG]
            return []

        def initialize(self, version: str, build_data: dict[str, Any]) -> None:
            """Compile what is not current, and tag the wheel for this platform."""
            if self.target_name != "wheel":
                return
            if not is_current(LIBRARY):
                build()
            tag = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{tag}"
            build_data["artifacts"].append(str(LIBRARY.relative_to(Path(self.root))))
            self.materials = TemporaryDirectory()
            sbom = Path(self.materials.name) / SBOM
            with sbom.open("wb") as file:
                subprocess.run([sys.executable, str(MAKE_SBOM)], stdout=file, check=True)
            build_data["sbom_files"].append(str(sbom))

        def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
            """Remove the bill of materials, which is in the wheel now."""
            if self.materials:
                self.materials.cleanup()


def main(arguments: list[str]) -> None:
    """Compile in place what is not current.

    `--force` compiles anyway, `--find-compiler` prints the compiler, and `--sanitized FILE` writes
    a build with sanitizers to a file.
    """
    if arguments == ["--find-compiler"]:
        sys.stdout.write(shlex.join(compiler()) + "\n")
    elif arguments[:1] == ["--sanitized"]:
        build(Path(arguments[1]), [*SANITIZED, *WARNINGS])
    elif not is_current(LIBRARY) or arguments == ["--force"]:
        build()


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except NoCompilerError as missing:
        raise SystemExit(str(missing)) from None
