"""Learn GPU programming with Triton: what a kernel script needs.

Importing this package costs nothing: a name is resolved on first use (PEP 562), and the first use decides whether
kernels run on the GPU or on the simulator. So this import comes before `import triton`.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers know it: `typing` takes time in which Ctrl+C would print a traceback
if TYPE_CHECKING:
    from triton_workshop.images import load_image, show_image
    from triton_workshop.tensors import cdiv, check_tensors_gpu_ready

    DEVICE: str

__all__ = ["DEVICE", "cdiv", "check_tensors_gpu_ready", "load_image", "show_image"]

_HOMES = {
    "cdiv": "triton_workshop.tensors",
    "check_tensors_gpu_ready": "triton_workshop.tensors",
    "load_image": "triton_workshop.images",
    "show_image": "triton_workshop.images",
}


def __getattr__(name: str) -> object:
    if name == "DEVICE":
        value: object = _choose_device()
    elif name in _HOMES:
        # Any name that a kernel script imports from here settles where its kernels run.
        globals()["DEVICE"] = _choose_device()
        from importlib import import_module

        value = getattr(import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _choose_device() -> str:
    import triton_workshop.interruption  # noqa: F401  # before all that takes time
    from triton_workshop.check_reminder import register_reminder
    from triton_workshop.device import resolve_device, simulated
    from triton_workshop.import_order import check_triton_mode

    is_exercise = register_reminder()
    if is_exercise:
        from triton_workshop.startup_interrupts import exit_on_interrupt, raise_on_interrupt

        exit_on_interrupt()
    device = resolve_device()
    check_triton_mode()
    if simulated():
        from triton_workshop.simulation import simulate

        simulate()
    if is_exercise:
        import torch  # noqa: F401  # as its next line does, where Ctrl+C might abort in the middle of C++

        raise_on_interrupt()
    return device
