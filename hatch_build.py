"""Compile the C kernels when the package is built, installed, or named on the command line.

A wheel gets the bill of materials of the lock file as well (`.dist-info/sboms`, PEP 770).

`python hatch_build.py` compiles them in place. The compiler is `CC`, `cc`, `gcc` or `clang`, and
where there is none `zig cc` from the `ziglang` package. `KANON_TARGET` names one of `TARGETS`, for
whose systems `zig cc` compiles a wheel on any machine: `make wheels`.
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
from typing import Any, NamedTuple

SOURCES = Path(__file__).parent / "kanon_tui" / "core" / "kernels" / "c"
MAKE_SBOM = Path(__file__).parent / "packaging" / "make_sbom.py"
SBOM = "kanon-tui.cdx.json"
_NAMES = {"darwin": "libkanon.dylib", "win32": "libkanon.dll"}


def library_name(system: str) -> str:
    """Return what the library is called on a system, as `sys.platform` calls it."""
    return _NAMES.get(system, "libkanon.so")


LIBRARY = SOURCES / library_name(sys.platform)

# No contraction and no fast math: the same bytes on every machine.
OPTIMISED = ["-O3", "-ffp-contract=off"]
COMMON = ["-std=c11", "-fvisibility=hidden", "-fno-strict-aliasing"]
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
SANITIZED = ["-O1", "-g", "-ffp-contract=off", "-fno-omit-frame-pointer",
             "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]  # fmt: skip
ZIG = "ziglang>=0.15,<0.18"


class Target(NamedTuple):
    """Systems for which one wheel is built."""

    triple: str
    """What zig calls them, with the oldest C library or system."""
    tag: str
    """What wheels call them."""
    platform: str
    """What `sys.platform` is on them."""

    def flags(self) -> list[str]:
        """Return what tells zig to compile for them."""
        processor = "x86_64_v2" if self.triple.startswith("x86_64") else "baseline"
        return ["-target", self.triple, f"-mcpu={processor}"]


TARGETS = {
    "linux-x86_64": Target(
        "x86_64-linux-gnu.2.17", "manylinux_2_17_x86_64.manylinux2014_x86_64", "linux"
    ),
    "linux-arm64": Target(
        "aarch64-linux-gnu.2.17", "manylinux_2_17_aarch64.manylinux2014_aarch64", "linux"
    ),
    "musl-x86_64": Target("x86_64-linux-musl", "musllinux_1_2_x86_64", "linux"),
    "musl-arm64": Target("aarch64-linux-musl", "musllinux_1_2_aarch64", "linux"),
    "macos-x86_64": Target("x86_64-macos.11.0", "macosx_11_0_x86_64", "darwin"),
    "macos-arm64": Target("aarch64-macos.11.0", "macosx_11_0_arm64", "darwin"),
    "windows-x86_64": Target("x86_64-windows-gnu", "win_amd64", "win32"),
}
"""Every target of `make wheels`."""


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
    """Compile all sources for this machine."""
    command = compiler()
    optimised = OPTIMISED if flags is None else flags
    compile_all([*command, *COMMON, *baseline(command), *optimised], sys.platform, library, flags)


def build_for(target: Target, library: Path) -> None:
    """Compile all sources for other systems, by zig."""
    zig = [sys.executable, "-m", "ziglang", "cc"]
    compile_all([*zig, *target.flags(), *COMMON, *OPTIMISED], target.platform, library)


def compile_all(
    options: list[str], system: str, library: Path, flags: list[str] | None = None
) -> None:
    """Compile all sources, one process per core, and link them."""
    if system != "win32":  # where code is never bound to a place
        options = [*options, "-fPIC"]
    options = [*options, f'-DKN_SOURCES="{sources_digest()}"']
    library.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        sources = sorted(SOURCES.glob("*.c"))
        objects = [Path(folder) / f"{path.stem}.o" for path in sources]
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            list(pool.map(lambda pair: run([*options, "-c", str(pair[0]), "-o", str(pair[1])]),
                          zip(sources, objects, strict=True)))  # fmt: skip
        linked = Path(folder) / library.name
        strip = ["-s"] if flags is None and system.startswith("linux") else []
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
        made: TemporaryDirectory[str] | None = None
        """Where the bill of materials, and a library for another system, lie meanwhile."""

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
            self.made = TemporaryDirectory()
            place = LIBRARY.parent.relative_to(Path(__file__).parent)
            if name := os.environ.get("KANON_TARGET"):
                target = TARGETS[name]
                library = Path(self.made.name) / library_name(target.platform)
                build_for(target, library)
                build_data["force_include"][str(library)] = str(place / library.name)
                tag = target.tag
            else:
                if not is_current(LIBRARY):
                    build()
                build_data["artifacts"].append(str(place / LIBRARY.name))
                tag = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{tag}"
            sbom = Path(self.made.name) / SBOM
            with sbom.open("wb") as file:
                subprocess.run([sys.executable, str(MAKE_SBOM)], stdout=file, check=True)
            build_data["sbom_files"].append(str(sbom))

        def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
            """Remove what was made for the wheel, which holds it now."""
            if self.made:
                self.made.cleanup()


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
