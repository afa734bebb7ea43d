"""What the simulator changes in Triton, it takes back: compared name by name, in a process of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from triton_simulator.patches import Patches

from .conftest import Run

KERNEL = '''\
import sys, types
import torch
import triton, triton.language as tl
from triton.language import arange, load
from triton.runtime import interpreter
import triton_simulator as simulator

shared = types.ModuleType("shared")
shared.store = tl.store

@triton.jit
def doubled(x_ptr, B: tl.constexpr):
    at = arange(0, B)
    x = load(x_ptr + at)
    shared.store(x_ptr + at, x + x.exp().log())

def spaces():
    for name, module in sorted(sys.modules.items()):
        if name.partition(".")[0] == "triton" and isinstance(module, types.ModuleType):
            yield name, module
            for member in list(vars(module).values()):
                if isinstance(member, type) and member.__module__.startswith("triton"):
                    yield f"{member.__module__}.{member.__qualname__}", member

def inside(thing):
    """What a function or a container is made of: replaced in place, it would still be the same object."""
    if isinstance(thing, property):
        return tuple(map(inside, (thing.fget, thing.fset)))
    if isinstance(thing, types.FunctionType):
        cells = tuple(id(cell.cell_contents) for cell in thing.__closure__ or () if cell != types.CellType())
        return thing.__code__, cells, thing.__defaults__, str(thing.__kwdefaults__), sorted(vars(thing))
    if isinstance(thing, dict) and thing is not sys.modules:
        return [(id(key), id(value)) for key, value in thing.items()]
    return None

def names():
    """All but Triton's list of the kernels that it has seen."""
    left_out = ("__annotations__", "_triton_jit_function_registry")
    return {(space, name): (id(thing), inside(thing))
            for space, owner in spaces() for name, thing in list(vars(owner).items()) if name not in left_out}

kept = [list(vars(owner).values()) for _, owner in spaces()]  # no object's id is another one's later
'''
PROVIDED = "from triton_simulator.without_library import provide; provide()"
"""Makes Triton importable where it is not installed, as on a Mac."""
COMPARE = """
import triton.language.extra.libdevice, triton.language.extra.cuda.libdevice, triton.compiler.code_generator
before, x = names(), torch.ones(4)
for _ in range(2):
    simulator.install()
    changed = {name for name, thing in names().items() if before.get(name) != thing}
    with simulator.record() as launches:
        doubled[(1,)](x, 4)
    simulator.uninstall()
    after = names()
    print(len(changed) > 300, len(launches), [name for name in before if before[name] != after.get(name)])
    print([name for name in after.keys() - before.keys() if name[0] in {space for space, _ in before}])
print(x.tolist())
"""


def test_uninstall_leaves_triton_as_it_was(with_torch: Run, tmp_path: Path) -> None:
    (tmp_path / "kernel.py").write_text(KERNEL + COMPARE, encoding="utf-8")
    printed = with_torch(f"{PROVIDED}; import kernel", tmp_path)
    assert printed == "True 1 []\n[]\nTrue 1 []\n[]\n[4.0, 4.0, 4.0, 4.0]\n"


@pytest.mark.library
def test_afterwards_kernels_run_on_tritons_own_interpreter(with_torch: Run, tmp_path: Path) -> None:
    kernel = KERNEL.replace("arange(0", "tl.arange(0").replace("= load", "= tl.load")
    kernel = kernel.replace("shared.store(", "tl.store(")
    kernel = kernel.replace("x.exp().log()", "tl.log(tl.exp(x))")  # Triton 3.6's own interpreter has no such methods
    (tmp_path / "kernel.py").write_text(
        kernel
        + """
simulator.install()
x = torch.ones(4)
doubled[(1,)](x, 4)
simulator.uninstall()
with simulator.record() as launches:
    doubled[(1,)](x, 4)
print(x.tolist(), launches)
""",
        encoding="utf-8",
    )
    assert with_torch("import kernel", tmp_path) == "[4.0, 4.0, 4.0, 4.0] []\n"


def test_a_recording_without_the_simulator_warns(with_torch: Run, tmp_path: Path) -> None:
    code = "import warnings; warnings.simplefilter('error'); from triton_simulator import record; "
    (tmp_path / "kernel.py").write_text(
        f"{code}\ntry:\n    with record():\n        pass\nexcept RuntimeWarning as warning:\n    print(warning)\n",
        encoding="utf-8",
    )
    assert "which is not installed: it will stay empty. Call install() first" in with_torch("import kernel", tmp_path)


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("uninstall()", "The simulator is not installed: call install() first."),
        ("import os; del os.environ['TRITON_INTERPRET']; import triton; install()", "Triton was imported without"),
    ],
    ids=["not installed", "imported for a GPU"],
)
def test_misuse_is_said(with_torch: Run, tmp_path: Path, code: str, says: str) -> None:
    printed = with_torch(
        "from triton_simulator import SimulatorError, install, uninstall\n"
        f"try:\n    {code}\nexcept SimulatorError as error:\n    print(error)",
        tmp_path,
    )
    assert printed.startswith(says)


ALONE = """\
import os, sys
del os.environ["TRITON_INTERPRET"]
from triton_simulator import KernelFaults, Launch, UndefinedResult, install, record, uninstall
assert "triton" not in sys.modules
install()
import torch, triton, triton.language as tl

@triton.jit
def doubled(x_ptr):
    tl.store(x_ptr, 2 * tl.load(x_ptr))

x = torch.ones(1)
with record() as launches:
    doubled[(1,)](x)
print(x.tolist(), launches)
uninstall()
"""


def test_install_chooses_the_mode_if_nothing_has_imported_triton(with_torch: Run, tmp_path: Path) -> None:
    (tmp_path / "kernel.py").write_text(ALONE, encoding="utf-8")
    assert with_torch("import kernel", tmp_path) == "[2.0] [<Launch of doubled on (1,): 0 faults>]\n"


@pytest.mark.library
def test_a_simulator_that_is_switched_off_is_neither_installed_nor_uninstalled(with_torch: Run, tmp_path: Path) -> None:
    off = "import os; os.environ['TRITON_SIMULATOR'] = '0'; "
    code = "from triton_simulator import install, uninstall; install(); uninstall(); uninstall(); print('done')"
    assert with_torch(off + code, tmp_path) == "done\n"


class Owner:
    kept, inherited = 1, 2


class Heir(Owner):
    pass


def test_patches_change_nothing_before_they_are_applied_and_all_is_put_back() -> None:
    patches, mapping = Patches(), {"a": 1}
    patches.attribute(Owner, "kept", 10)
    patches.attribute(Owner, "kept", 11)
    patches.attribute(Heir, "inherited", 12)
    patches.item(mapping, "a", 2)
    patches.item(mapping, "b", 3)
    assert (Owner.kept, Heir.inherited, mapping) == (1, 2, {"a": 1})
    patches.apply()
    assert (Owner.kept, Heir.inherited, mapping) == (11, 12, {"a": 2, "b": 3})
    patches.revert()
    assert (Owner.kept, mapping) == (1, {"a": 1})
    assert "inherited" not in vars(Heir)


def test_patches_that_cannot_all_be_applied_change_nothing() -> None:
    patches = Patches()
    patches.attribute(Owner, "kept", 10)
    patches.attribute(int, "real", 0)  # a type of Python's own
    with pytest.raises(TypeError):
        patches.apply()
    assert Owner.kept == 1
    assert not patches.is_applied
