"""Every language of presenterm's runs, by the same commands as there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import Start
from triton_workshop.languages import Language, languages, runnable
from triton_workshop.processes import launcher
from triton_workshop.processes.languages import MissingProgramError, executor
from triton_workshop.processes.run import Run
from triton_workshop.processes.script import CannotRunError, Script

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the languages of a POSIX machine")

PROGRAMS = {
    "c": '#include <stdio.h>\nint main(void) { printf("six %d\\n", 6); return 0; }',
    "rust": 'fn main() { println!("six {}", 6); }',
    "perl": 'print "six ", 2 * 3, "\\n";',
    "js": "console.log('six', '6')",
}


def run(script: Script, start: Start = Run) -> tuple[str, int]:
    with start(script) as started:
        return b"".join(started.output()).decode(), started.wait().code


@pytest.mark.parametrize(("name", "language"), languages().items())
def test_a_language_has_one_executor_and_others_for_its_alternatives(name: str, language: Language) -> None:
    assert runnable(name)
    assert executor(name) is executor(language.name)
    for alternative in language.alternatives:
        assert executor(name, alternative) is not executor(name)


@pytest.mark.parametrize("language", PROGRAMS)
def test_a_program_prints(tmp_path: Path, language: str) -> None:
    if executor(language).missing(os.environ["PATH"]):
        pytest.skip(f"no {language} here")
    assert run(Script(language, PROGRAMS[language], tmp_path)) == ("six 6\n", 0)


needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler here")


@needs_gcc
def test_what_does_not_compile_says_so_and_does_not_run(tmp_path: Path) -> None:
    printed, code = run(Script("c", "int main(void) { return missing; }", tmp_path))
    assert "missing" in printed
    assert code == 1


@needs_gcc
def test_a_compiled_program_has_its_own_exit_code_and_the_decks_folder(tmp_path: Path) -> None:
    source = '#include <stdio.h>\nint main(void) { return fopen("made", "w") == NULL ? 1 : 42; }'
    assert run(Script("c", source, tmp_path)) == ("", 42)
    assert (tmp_path / "made").exists()


@needs_gcc
def test_a_warning_comes_before_what_the_program_prints(tmp_path: Path) -> None:
    source = '#include <stdio.h>\n#warning careful\nint main(void) { printf("ran\\n"); return 0; }'
    printed, _ = run(Script("c", source, tmp_path))
    assert printed.index("careful") < printed.index("ran")


def test_a_missing_program_is_a_line_that_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingProgramError, match="rustc was not found on this machine; install Rust"):
        Run(Script("rust", "fn main() {}", tmp_path))


@pytest.mark.parametrize(
    ("language", "alternative", "message"),
    [
        ("cobol", None, r"cannot run 'cobol'; expected one of bash, c\+\+, c, "),
        ("python", "conda", "python has no alternative 'conda'; expected one of uv"),
        ("c", "clang", "there is only one way to run it"),
    ],
)
def test_what_nobody_runs_is_refused(tmp_path: Path, language: str, alternative: str | None, message: str) -> None:
    with pytest.raises(CannotRunError, match=message):
        Run(Script(language, "", tmp_path, alternative=alternative))


def test_an_alternative_is_what_runs(start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    uv = tmp_path / "uv"
    uv.write_text('#!/bin/sh\necho "uv got $1 $2 $3"; cat "$4"\n')
    uv.chmod(0o755)
    Path(tmp_path, "python").symlink_to(sys.executable)  # beside which uv is found
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr("triton_workshop.processes.script.sys.executable", str(tmp_path / "python"))
    script = Script("python", "print(1)\n", tmp_path, alternative="uv")
    assert run(script, start) == ("uv got run --script -q\nprint(1)\n", 0)


def test_the_languages_own_variables_are_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go = tmp_path / "go"
    go.write_text("#!/bin/sh\necho $1 $GO11MODULE\n")
    go.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert run(Script("go", "", tmp_path)) == ("run off\n", 0)


def test_the_file_that_runs_commands_imports_only_the_standard_library() -> None:
    source = launcher.__file__
    done = subprocess.run(
        [sys.executable, "-I", "-S", source, '["true"]', '["echo", "done"]'],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "done\n"
