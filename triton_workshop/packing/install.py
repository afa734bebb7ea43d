# /// script
# requires-python = ">=3.11"
# ///
"""Install the Triton Workshop from a folder that `workshop pack` has filled, without network.

START-HERE.txt says how to run this file, which needs nothing but Python and the packed uv.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any, NoReturn
from urllib.request import urlopen

UV = "uv.exe" if sys.platform == "win32" else "uv"


def main() -> None:
    parser = argparse.ArgumentParser(description="Install the Triton Workshop without network.")
    home = Path.home() / "triton-workshop"
    parser.add_argument("folder", type=Path, nargs="?", default=home, help=f"where to; by default {home}")
    here = str(Path(__file__).resolve().parent)
    parser.add_argument("--from", dest="source", metavar="URL", default=here, help="http://… that serves these files")
    arguments = parser.parse_args()
    if "UV" not in os.environ:
        stop("Run this file with uv. START-HERE.txt says what to type.")
    try:
        install(arguments.source.rstrip("/"), arguments.folder.expanduser().resolve())
    except subprocess.CalledProcessError as error:
        stop(
            f"This step failed: {' '.join(error.cmd)}\n"
            "Its message is above. If it names a file of the packed folder, copy that folder again. "
            "To go on, run install.py again."
        )
    except OSError as error:
        stop(f"{error.filename or arguments.source}: {error.strerror or error}")
    except KeyboardInterrupt:
        stop("Stopped. To go on, run install.py again.")


def install(source: str, folder: Path) -> None:
    packed = json.loads(read(source, "manifest.json"))
    name, needs = this_platform(packed)
    if "://" not in source:
        check_whole(Path(source), packed["files"], needs["files"])
    unpack_repository(verified(source, packed, "triton-workshop.zip"), folder, needs["unpacked"])
    make_environment(source, name, folder)
    say("Checking this machine")
    triton: list[str] = []
    if packed["triton"] and sys.platform == "darwin":
        verified(source, packed, packed["triton"])
        triton = ["--triton", source]
    uv("run", "--offline", "setup-check", *triton, folder=folder, check=False)
    say_what_is_next(folder, place_uv())


def this_platform(packed: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The name of the platform that this machine is, and what it needs."""
    for name, needs in packed["platforms"].items():
        if (sys.platform, platform.machine()) == (needs["system"], needs["machine"]):
            return name, needs
    stop(
        f"This folder has packages for {', '.join(packed['platforms'])}, and none for this machine "
        f"({sys.platform}, {platform.machine()}). With network, `uv sync` in the repository installs them."
    )


def check_whole(source: Path, files: dict[str, Any], needed: list[str]) -> None:
    """Stop if a copy of the folder is not whole. Hashes are checked later, when a file is read."""
    for name in needed:
        file = source / name
        size = file.stat().st_size if file.exists() else 0
        if size != files[name]["size"]:
            stop(f"{file}: expected {files[name]['size']} bytes, found {size}. Copy this folder again.")


def unpack_repository(archive: bytes, folder: Path, unpacked: int) -> None:
    """Unpack the repository, unless it is there from an earlier attempt. Nothing that exists is overwritten."""
    packed = zipfile.ZipFile(io.BytesIO(archive))
    lock = folder / "uv.lock"
    if lock.exists() and lock.read_bytes() == packed.read("uv.lock"):
        say(f"{folder} is there already: its files stay as they are, and only its packages are installed again")
        return
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        stop(f"{folder} exists already. Rename it, or name another folder: install.py FOLDER")
    folder.parent.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(folder.parent).free
    if free < unpacked:
        stop(f"{folder}: expected {unpacked / 1e9:.1f} GB of free space, found {free / 1e9:.1f} GB.")
    say(f"Unpacking the workshop into {folder}")
    with tempfile.TemporaryDirectory(dir=folder.parent) as beside:
        packed.extractall(Path(beside, "workshop"))
        if folder.exists():
            folder.rmdir()
        Path(beside, "workshop").rename(folder)


def make_environment(source: str, name: str, folder: Path) -> None:
    """Install the wheels, each with its hash checked, and then the workshop itself, as `uv sync` does.

    The environment gets the Python that runs this file, which uv has chosen by its first lines.

    uv's cache lies beside the environment for this while: there files can be shared by links, and then it can go.
    """
    python = getattr(sys, "_base_executable", sys.executable)
    cache, requirements = folder / ".venv-cache", folder / ".venv-requirements.txt"
    say("Installing packages")
    try:
        requirements.write_bytes(read(source, f"requirements-{name}.txt"))
        uv("venv", "--quiet", "--offline", "--clear", "--python", python, folder=folder)
        offline = [] if "://" in source else ["--offline"]
        exactly = ["--no-index", "--find-links", f"{source}/wheels", "--require-hashes", "--cache-dir", str(cache)]
        uv("pip", "sync", *offline, *exactly, requirements, folder=folder)
        uv("sync", "--quiet", "--offline", "--locked", "--cache-dir", cache, folder=folder)
    finally:
        requirements.unlink(missing_ok=True)
        shutil.rmtree(cache, ignore_errors=True)


def place_uv() -> Path | None:
    """Put uv where its own installer would, if this machine has none. Return it if it is not found by its name."""
    if shutil.which("uv"):
        return None
    program = Path(os.environ.get("XDG_BIN_HOME") or Path.home() / ".local" / "bin") / UV
    if not program.exists():
        say(f"Installing uv as {program}")
        program.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(os.environ["UV"], program)
        program.chmod(0o755)
    return program


def say_what_is_next(folder: Path, program: Path | None) -> None:
    say("The workshop is installed. Type:")
    if program is not None:
        print(
            f'    "{program}" tool update-shell' if sys.platform != "win32" else f'    & "{program}" tool update-shell'
        )
        print("and open a new terminal, in which uv is found. There, type:")
    print(f'    cd "{folder}"\n    uv run workshop watch')


def uv(*arguments: str | Path, folder: Path, **how: Any) -> str:
    """Run the uv that runs this script in a folder, unaware of the environment of this script."""
    variables = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    command = [os.environ["UV"], *map(str, arguments)]
    return str(subprocess.run(command, cwd=folder, env=variables, text=True, **{"check": True, **how}).stdout)


def verified(source: str, packed: dict[str, Any], name: str) -> bytes:
    data = read(source, name)
    if hashlib.sha256(data).hexdigest() != packed["files"][name]["sha256"]:
        stop(f"{name}: its hash is not the one in manifest.json. Copy this folder again.")
    return data


def read(source: str, name: str) -> bytes:
    if "://" in source:
        with urlopen(f"{source}/{name}") as answer:
            return bytes(answer.read())
    return Path(source, name).read_bytes()


def say(sentence: str) -> None:
    print(f"\n{sentence}", flush=True)


def stop(sentence: str) -> NoReturn:
    raise SystemExit(f"\n{sentence}")


if __name__ == "__main__":
    main()
