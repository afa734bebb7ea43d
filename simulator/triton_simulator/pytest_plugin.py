"""Pytest plugin that runs Triton tests without a GPU.

A project runs its own with `pytest --triton-simulator`.

The option may stand on the command line or in `addopts`. Kernels run on the simulator, with a GPU present too; a test,
or a fixture, whose kernel breaks memory, races or waits for ever fails, with the program, the line and the argument,
even if the code under test catches the error. What is wrong on purpose belongs in `with record():` or in
`with pytest.raises(KernelFaults):`, and a test may be marked xfail for it. xdist's workers do the same.
`--triton-report` lists kernels, launches, faults, and what was undefined. `--triton-steps` adds to a failed test's
report what the program at fault did. With `--triton-strict-views`, a view's elements are all that a kernel may access.

A launch whose kernel does not compile for a GPU raises Triton's CompilationError: `compiler/pytest_front_end.py` asks
Triton's front end about each new specialization, in some milliseconds. `--no-triton-compiler` asks nothing.

"cuda" means the CPU, as one GPU of compute capability 9.0:

- `device="cuda"`, `"cuda:0"` and `torch.device("cuda")` where tensors are made, `torch.set_default_device`, and
  `torch.Generator`; `pin_memory` is ignored.
- `.cuda()`, `.cpu()`, `.to(…)`, `.device`, `.is_cuda`, `.is_cpu`, `.get_device()`, `.pin_memory()`, `.record_stream()`
  of tensors, and so `.cuda()` and `.to()` of modules. A tensor that was made or moved there, or computed from one that
  was, says that it is on "cuda".
- `torch.load` to "cuda", and `torch.autocast("cuda")`, as the CPU's with the same dtype; `custom_fwd` and `custom_bwd`.
- Of `torch.cuda`: is_available, is_initialized, init, device_count, current_device, set_device, device, device_of,
  get_device_name, get_device_capability, get_device_properties, get_arch_list, is_bf16_supported, is_tf32_supported,
  synchronize, Stream, ExternalStream, stream, set_stream, current_stream, default_stream, is_current_stream_capturing,
  Event (with the CPU's time), manual_seed, manual_seed_all, get_rng_state, set_rng_state, empty_cache, ipc_collect,
  mem_get_info, and the counters of memory, which are 0. Of `torch.accelerator`, the same.
- `triton.runtime.driver.active`: target, device, stream, torch's device and module, properties, and what `do_bench`
  needs.

`torch.compile` leaves functions and modules as they are: PyTorch computes, kernels run on the simulator, and nothing is
fused. What else is called of `torch.cuda` and of the driver raises NotMappedError with its name. All this holds in
backward, hooks, custom operators and threads too; it does not inside `__torch_dispatch__`, nor in processes that a test
spawns.
"""

from __future__ import annotations

import math
import os
import sys
import textwrap
import unittest
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from triton_simulator import KernelFaults, SimulatorError, hooks, install, uninstall
from triton_simulator.patches import Patches
from triton_simulator.pytest_options import PROGRAM, REPORT, SIMULATOR, STEPS, STRICT_VIEWS, add_options

if TYPE_CHECKING:
    from triton_simulator import Launch

__tracebackhide__ = True  # pytest leaves our frames out of a traceback
NAME = __name__
pytest_plugins = ["triton_simulator.compiler.pytest_front_end"]
"""Fails a test whose kernel does not compile for a GPU."""
INTERPRET = "TRITON_INTERPRET"


@dataclass
class _Session:
    """Launches and faults that this process has seen."""

    undo: ExitStack = field(default_factory=ExitStack)
    launches: Counter[str] = field(default_factory=Counter)
    """By the name of the kernel."""
    faults: dict[str, list[str]] = field(default_factory=dict)
    pending: list[KernelFaults] = field(default_factory=list)
    """What launches have raised in the phase of a test that runs, unless the test expects it by name."""
    recorded: list[Launch] = field(default_factory=list)
    """The launches of that phase, if their steps are wanted."""

    def record_launch(self, kernel: Any, *_: Any) -> None:
        """Count a launch of a kernel."""
        self.launches[kernel.fn.__name__] += 1

    def record_failure(self, error: KernelFaults) -> None:
        """Count a launch that failed, and keep its faults."""
        self.launches[error.kernel] += 1
        self.pending.append(error)
        self.add(error.kernel, [str(error)])

    def add(self, kernel: str, faults: list[str]) -> None:
        """Add faults of a kernel, each once."""
        messages = self.faults.setdefault(kernel, [])
        messages += [fault for fault in faults if fault not in messages]

    def raise_pending(self) -> None:
        """Raise what launches have raised and the test has caught."""
        pending, self.pending = self.pending, []
        if pending:
            first = pending[0]
            for message in dict.fromkeys(map(str, pending)):
                if message != str(first):
                    first.add_note(message)
            first.add_note(CAUGHT)
            raise first from first.__cause__


@dataclass(frozen=True)
class _Phase:
    """A phase of a test: a fixture, or the test itself.

    It fails at its end if it caught a fault.
    """

    session: _Session

    def __enter__(self) -> None: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        # A skip does not excuse a fault that was caught before it.
        has_excuse = error is not None and not isinstance(error, pytest.skip.Exception)
        if not has_excuse:
            self.session.raise_pending()
        self.session.pending.clear()


CAUGHT = "The test caught this; if it is on purpose, put the launch in `with record():`."
_SESSION = pytest.StashKey[_Session]()
_EARLY: list[_Session] = []
"""The session that began before conftest files were read."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, if this plugin is loaded by `-p`."""
    add_options(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    """Install the simulator before conftest files import Triton.

    Raises UsageError if it is too late for that, or if there is no PyTorch.
    """
    session = _Session()
    _set_variable(session.undo, INTERPRET, "1")
    # xdist's workers learn of `-p` only after their conftest files; but of this, before.
    names = os.environ.get("PYTEST_PLUGINS", "").split(",")
    plugins = [name for name in names if name not in ("", NAME)]
    _set_variable(session.undo, "PYTEST_PLUGINS", ",".join([NAME, *plugins]))
    try:
        install()
    except SimulatorError as error:
        session.undo.close()
        raise pytest.UsageError(f"{NAME} comes too late, as another plugin has imported Triton. {error}") from error
    session.undo.callback(uninstall)
    try:
        _map_cuda(session.undo)
    except ModuleNotFoundError as error:
        session.undo.close()
        if error.name != "torch":
            raise
        raise pytest.UsageError(f"{SIMULATOR} needs PyTorch.") from error
    _expect_faults(session)
    hooks.listeners.append(session.record_launch)
    session.undo.callback(hooks.listeners.remove, session.record_launch)
    hooks.fault_listeners.append(session.record_failure)
    session.undo.callback(hooks.fault_listeners.remove, session.record_failure)
    _EARLY.append(session)


def _set_variable(undo: ExitStack, variable: str, value: str) -> None:
    previous = os.environ.get(variable)
    os.environ[variable] = value
    if previous is None:
        undo.callback(os.environ.pop, variable, None)
    else:
        undo.callback(os.environ.__setitem__, variable, previous)


def _map_cuda(undo: ExitStack) -> None:
    from triton_simulator.cuda_callbacks import callback_patches
    from triton_simulator.cuda_on_cpu import CudaOnCpu, cuda_patches, driver_patches

    patches = Patches()
    cuda_patches(patches)
    callback_patches(patches)
    driver_patches(patches)
    _hide_launches(patches)
    patches.apply()
    undo.callback(patches.revert)
    undo.enter_context(CudaOnCpu())


def _expect_faults(session: _Session) -> None:
    """Let a test expect faults by `pytest.raises(KernelFaults)`.

    A test that expects any exception may have another one in mind.
    """
    patches = Patches()
    of_unittest = unittest.TestCase().assertRaises(KernelFaults)  # noqa: PT027  # only its class is of interest
    for context in (pytest.raises(KernelFaults), of_unittest):
        patches.attribute(type(context), "__exit__", _expecting_exit(type(context).__exit__, session))
    patches.apply()
    session.undo.callback(patches.revert)


def _expecting_exit(leave: Callable[..., Any], session: _Session) -> Callable[..., Any]:
    def leave_expecting(context: Any, kind: Any, error: Any, trace: Any) -> Any:
        __tracebackhide__ = True
        is_expected = leave(context, kind, error, trace)
        is_fault = is_expected and error in session.pending
        if is_fault:
            expected = next(vars(context)[name] for name in EXPECTED if name in vars(context))
            types = expected if isinstance(expected, tuple) else (expected,)
            classes = (each for each in types if isinstance(each, type))
            is_ours = any(issubclass(each, SimulatorError) for each in classes)
            if is_ours:
                session.pending.remove(error)
        return is_expected

    return leave_expecting


EXPECTED = ("expected_exceptions", "expected_exception", "expected")
"""Names by which pytest, older versions of it, and unittest keep the types that are expected."""


def _hide_launches(patches: Patches) -> None:
    """Hide the frames of a launch in a traceback.

    No test can change how Triton and the simulator carry out a launch. pytest's `--full-trace` shows them.
    """
    from triton.runtime import autotuner, jit

    for module in (autotuner, jit, *_languages()):
        patches.attribute(module, "__tracebackhide__", True)


def _languages() -> list[ModuleType]:
    """Return the modules of the simulator and of Triton's language.

    Their frames say nothing of a kernel.
    """
    return [
        module
        for name, module in sys.modules.items()
        if f"{name}.".startswith(("triton.language.", "triton_simulator.")) and isinstance(module, ModuleType)
    ]


def pytest_configure(config: pytest.Config) -> None:
    """Take over the session that began early.

    Raises UsageError if there is none, as conftest files have been read by then.
    """
    if not _EARLY:
        raise pytest.UsageError(
            f"{NAME} comes too late: conftest files have been read, and may have imported Triton for a GPU. Give "
            "`--triton-simulator` on the command line, or in `addopts`, and not `pytest_plugins` in a conftest file."
        )
    session = config.stash[_SESSION] = _EARLY.pop()
    session.undo.callback(setattr, hooks, "strict_views", hooks.strict_views)
    hooks.strict_views = config.getoption(STRICT_VIEWS)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Undo what the session has changed."""
    if _SESSION in config.stash:
        config.stash[_SESSION].undo.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a fixture that caught a fault."""
    with _Phase(item.config.stash[_SESSION]):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a fixture that caught a fault at its end."""
    with _Phase(item.config.stash[_SESSION]):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test that caught a fault, and record steps, if wanted."""
    session = item.config.stash[_SESSION]
    if not item.config.getoption(STEPS):
        with _Phase(session):
            return (yield)
    from triton_simulator import record  # which imports Triton

    with _Phase(session), record(raises=True, steps=True) as session.recorded:
        return (yield)


def _describe_steps(launches: list[Launch], program: str, raised: BaseException | None) -> str:
    """Return what the program at fault did.

    Without a fault, it is a program of the last launch, by default the first.
    """
    broken = (index for index, launch in enumerate(launches) if _is_broken(launch))
    index = next(broken, len(launches) - 1)
    launch = launches[index]
    try:
        chosen = list(map(int, program.split(","))) if program else None
        text = launch.text(chosen)
    except ValueError as error:
        return f"{PROGRAM}={program}: {error}"
    if _is_broken(launch):
        return text
    others = f"Launch {len(launches)} of {len(launches)}. " if len(launches) > 1 else ""
    # A kernel may run here that no GPU takes.
    is_refused = getattr(raised, "kernel_line", None) is not None
    found = "No GPU runs this, as the kernel does not compile" if is_refused else "Nothing illegal was found"
    return f"{others}{found}{_other_program(launch.grid)}.\n{text}"


def _is_broken(launch: Launch) -> bool:
    return bool(launch.faults or launch.failure)


def _other_program(grid: tuple[int, ...]) -> str:
    """Return how to see another program, if there is one."""
    if math.prod(grid) < 2:
        return ""
    second = next(axis for axis in reversed(range(len(grid))) if grid[axis] > 1)
    ids = ",".join(str(int(axis == second)) for axis in range(len(grid)))
    return f"; {PROGRAM}={ids} shows another program"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add to a failed test's report what a program did."""
    report = yield
    session = item.config.stash[_SESSION]
    recorded, session.recorded = session.recorded, []
    if recorded and report.outcome == "failed":
        error = None if call.excinfo is None else call.excinfo.value
        steps = _describe_steps(recorded, item.config.getoption(PROGRAM), error)
        report.sections.append(("What the program did, line by line", steps))
    return report


def pytest_warning_recorded(warning_message: Any) -> None:
    """Keep an undefined result for the report.

    pytest calls this where the report is written, for warnings of xdist's workers too.
    """
    from triton_simulator import UndefinedResult

    if issubclass(warning_message.category, UndefinedResult):
        _UNDEFINED[str(warning_message.message)] = None


_UNDEFINED: dict[str, None] = {}


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand on what kernels did, in a worker of xdist's."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        state = session.config.stash[_SESSION]
        output[NAME] = [dict(state.launches), state.faults]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Add what an xdist worker has seen."""
    # A worker that crashed has no output.
    launches, faults = getattr(node, "workeroutput", {}).get(NAME, ({}, {}))
    session = node.config.stash[_SESSION]
    session.launches.update(launches)
    for kernel, messages in faults.items():
        session.add(kernel, messages)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the report on kernels, if it is asked for."""
    if not config.getoption(REPORT):
        return
    session = config.stash[_SESSION]
    terminalreporter.section("Triton kernels on the simulator")
    for kernel, count in sorted(session.launches.items()):
        faults = session.faults.get(kernel, [])
        terminalreporter.line(
            f"{kernel}: {_pluralize(count, 'launch', 'launches')}, {_pluralize(len(faults), 'fault')}"
        )
        for fault in faults:
            terminalreporter.line(textwrap.indent(fault, "  "))
    for result in _UNDEFINED:
        terminalreporter.line(f"undefined: {result}")


def _pluralize(number: int, one: str, several: str = "") -> str:
    if number == 1:
        return f"1 {one}"
    return f"{number} {several or one + 's'}"
