"""Mapping of "cuda" to the CPU.

Code that asks for "cuda" runs on the CPU, for `pytest_plugin`, whose docstring lists what is mapped.

A tensor's memory is always the CPU's. Whether people see "cuda" is noted at its storage: what is made or moved there,
and what is computed from that, is on "cuda"; what torch's own Python code sees is the CPU.
"""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils import _device

from triton_simulator.gpus import H100, PROGRAM_THREADS, REGISTERS, WARP_THREADS
from triton_simulator.patches import Patches

__tracebackhide__ = True  # pytest leaves these frames out of a traceback
MODEL = H100
"""The GPU that there seems to be: one for which nothing is skipped for being too new."""
CAPABILITY = divmod(int(MODEL.target.arch), 10)
TOTAL_BYTES = 80 << 30
NAME = "the CPU, as the simulator's GPU"
PROPERTIES = {
    "name": NAME,
    "major": CAPABILITY[0],
    "minor": CAPABILITY[1],
    "multi_processor_count": MODEL.multiprocessors,
    "total_memory": TOTAL_BYTES,
    "warp_size": WARP_THREADS,
    "regs_per_multiprocessor": REGISTERS,
    "max_threads_per_multi_processor": MODEL.target.sm_threads,
    "max_threads_per_block": PROGRAM_THREADS,
    "shared_memory_per_block": 48 << 10,
    "shared_memory_per_block_optin": MODEL.target.shared_bytes,
    "shared_memory_per_multiprocessor": MODEL.target.sm_shared_bytes,
    "L2_cache_size": 50 << 20,
    "is_integrated": 0,
    "is_multi_gpu_board": 0,
    "gcnArchName": "",
}
"""As PyTorch reports them. Those without a constant are of the H100 alone (its data sheet and architecture paper)."""
_INTERNAL_PACKAGES = ("torch", "triton", "triton_simulator", "numpy")
"""Packages whose own code sees where a tensor really is."""
_MODE_MODULES = ("torch.utils._device", "torch.overrides")
"""Modules of other modes, through which a question may come."""
_GPU = torch.device("cuda", 0)
_PLAIN_FUNCTIONS = (None, torch.Tensor.__torch_function__.__func__)  # type: ignore[attr-defined]
"""Functions of `__torch_function__` of a type that handles no call itself."""


class NotMappedError(NotImplementedError):
    """Part of CUDA that has no counterpart on the CPU.

    The message has its name.
    """

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name} is not mapped to the CPU by triton_simulator.pytest_plugin: skip this test without a GPU"
        )


def cuda_patches(patches: Patches) -> None:
    """Plan that `torch.cuda` answers as if there were one GPU.

    Whatever has no answer raises NotMappedError.
    """
    mapped = _cuda_replacements()
    # `__all__` lacks the private ones, such as `_lazy_init`.
    for name in dict.fromkeys([*torch.cuda.__all__, *mapped]):
        thing = getattr(torch.cuda, name, None)
        if name in mapped:
            patches.attribute(torch.cuda, name, _unique_function(mapped[name]))
        elif callable(thing) and name not in _PASSTHROUGH:
            patches.attribute(torch.cuda, name, _unmapped_stub(f"torch.cuda.{name}", thing))
    for name, function in _accelerator_replacements(mapped).items():
        patches.attribute(torch.accelerator, name, _unique_function(function))
    patches.attribute(torch.overrides, "__tracebackhide__", True)  # as in this module
    for name in ("from_numpy", "frombuffer", "from_file", "from_dlpack"):
        patches.attribute(torch, name, _from_elsewhere(getattr(torch, name)))
    patches.attribute(torch.utils.dlpack, "from_dlpack", _from_elsewhere(torch.utils.dlpack.from_dlpack))
    patches.attribute(torch, "load", _load(torch.load))
    _autocast_patches(patches)
    patches.attribute(torch, "Generator", _Generator)
    patches.attribute(torch, "compile", _skip_compile)
    patches.attribute(torch.nn.Module, "compile", _no_op)


def _autocast_patches(patches: Patches) -> None:
    """Plan that autocast for "cuda" is the CPU's, with the GPU's dtype."""
    autocast = torch.amp.autocast_mode.autocast
    patches.attribute(autocast, "__init__", _autocast(autocast.__init__))
    for name in ("custom_fwd", "custom_bwd"):
        patches.attribute(torch.amp, name, _on_physical_device(getattr(torch.amp, name)))
    # Without an argument, PyTorch asks this about "cuda".
    patches.attribute(torch, "is_autocast_enabled", _on_physical_device(torch.is_autocast_enabled, "cuda"))
    patches.attribute(torch, "get_autocast_dtype", _autocast_dtype(torch.get_autocast_dtype))
    patches.attribute(torch, "get_autocast_gpu_dtype", lambda: torch.get_autocast_dtype("cuda"))


def driver_patches(patches: Patches) -> None:
    """Plan that Triton's active driver is one for that GPU."""
    from triton.runtime import driver

    patches.attribute(driver, "_active", CpuDriver())


def _unique_function(thing: Any) -> Any:
    """Return a function object that no other name has.

    PyTorch's compiler keeps rules by function.
    """
    return thing if isinstance(thing, type) else lambda *arguments, **named: thing(*arguments, **named)


def _unmapped_stub(name: str, thing: Any) -> Callable[..., Any]:
    """Return a stand-in for `thing` that raises NotMappedError.

    A class stays a class, for annotations such as `torch.cuda.CUDAGraph | None`.

    PyTorch's compiler looks at what a function wraps as soon as it is imported.
    """

    @functools.wraps(thing, updated=())
    def raises(*_: Any, **__: Any) -> Any:
        """Raise NotMappedError with the name."""
        raise NotMappedError(name)

    return type(thing.__name__, (), {"__new__": raises}) if isinstance(thing, type) else raises


_PASSTHROUGH = (
    "is_tf32_supported",
    "StreamContext",
    "DeferredCudaCallError",
    "CudaError",
    "cudaStatus",
)


class _Generator(torch.Generator):
    """A generator of random numbers: always the CPU's."""

    def __new__(cls, *_: Any, **__: Any) -> _Generator:
        return super().__new__(cls, "cpu")  # type: ignore[call-arg]


class CpuStream:
    """All work is done when it is asked for, so streams have nothing to order."""

    device, priority, cuda_stream, stream_id = _GPU, 0, 0, 0

    def __init__(self, *_: Any, **__: Any) -> None: ...

    def synchronize(self) -> None: ...
    def wait_stream(self, stream: Any) -> None: ...
    def wait_event(self, event: Any) -> None: ...

    def is_capturing(self) -> bool:
        """Return False: nothing is captured in a graph."""
        return False

    def query(self) -> bool:
        """Return True: all work is done."""
        return True

    def record_event(self, event: Any = None) -> Any:
        """Return an event, new unless one is given, with the time of now."""
        event = CpuEvent() if event is None else event
        event.record(self)
        return event

    def __enter__(self) -> CpuStream:
        return self

    def __exit__(self, *_: object) -> None: ...


class CpuEvent:
    """Time of this process, so that differences are those of the CPU."""

    def __init__(self, *_: Any, **__: Any) -> None:
        self._seconds = time.perf_counter()

    def record(self, *_: Any) -> None:
        """Store the time of now."""
        self._seconds = time.perf_counter()

    def elapsed_time(self, end: CpuEvent) -> float:
        """Return the milliseconds until another event."""
        # Not 0: `do_bench` divides by the time.
        return max(1e-6, 1e3 * (end._seconds - self._seconds))

    def synchronize(self) -> None: ...
    def wait(self, stream: Any = None) -> None: ...

    def query(self) -> bool:
        """Return True: all work is done."""
        return True


class CpuDevice:
    """The only GPU as the current device, which it always is."""

    def __init__(self, *_: Any) -> None: ...

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


@contextmanager
def _context(*_: Any, **__: Any) -> Iterator[None]:
    yield


def _properties(*_: Any, **__: Any) -> SimpleNamespace:
    return SimpleNamespace(**PROPERTIES)


def _no_op(*_: Any, **__: Any) -> None: ...


def _skip_compile(function: Any = None, **_: Any) -> Any:
    """Return the function as it is, in place of `torch.compile`.

    Like `torch.compile`, it may be called with options only, as a decorator.
    """
    return function if function is not None else lambda later: later


def _from_elsewhere(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """Return a function that wraps memory which is not torch's.

    That is the CPU's, unless it is a tensor's.
    """

    @functools.wraps(function)
    def call(source: Any, *arguments: Any, **named: Any) -> torch.Tensor:
        on_gpu = isinstance(source, torch.Tensor) and is_on_gpu(source)
        return _mark_placement(function(source, *arguments, **named), on_gpu=on_gpu)

    return call


def _load(load: Callable[..., Any]) -> Callable[..., Any]:
    """Return `torch.load` with "cuda" as a place to load to."""

    @functools.wraps(load)
    def call(file: Any, map_location: Any = None, **named: Any) -> Any:
        if isinstance(map_location, str | torch.device):
            on_gpu = _is_gpu(map_location)

            def map_location(storage: Any, _: str) -> Any:
                storage._is_on_gpu = on_gpu
                return storage

        return load(file, map_location, **named)

    return call


def _autocast(initialize: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(initialize)
    def call(self: Any, device_type: str, dtype: torch.dtype | None = None, *arguments: Any, **named: Any) -> None:
        if device_type == "cuda":
            device_type, dtype = "cpu", dtype or torch.get_autocast_dtype("cuda")
        initialize(self, device_type, dtype, *arguments, **named)

    return call


def _on_physical_device(function: Callable[..., Any], default: str | None = None) -> Callable[..., Any]:
    """Return a function of a device's type for which "cuda" is the CPU."""

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        has_arguments = arguments or named
        if default is not None and not has_arguments:
            arguments = (default,)
        physical = {name: _physical_name(value) for name, value in named.items()}
        return function(*map(_physical_name, arguments), **physical)

    return call


def _physical_name(argument: Any) -> Any:
    return "cpu" if argument == "cuda" else argument


def _autocast_dtype(get_dtype: Callable[[str], torch.dtype]) -> Callable[[str], torch.dtype]:
    """Return `torch.get_autocast_dtype`.

    For "cuda" it gives the CPU's while autocast is enabled.
    """

    @functools.wraps(get_dtype)
    def call(device_type: str) -> torch.dtype:
        is_mapped = device_type == "cuda" and torch.is_autocast_enabled("cpu")
        return get_dtype("cpu" if is_mapped else device_type)

    return call


def _seed(seed: int) -> None:
    torch.default_generator.manual_seed(seed)


def _cuda_replacements() -> dict[str, Any]:
    """Return the functions of `torch.cuda` while "cuda" is mapped."""
    stream = CpuStream()

    def constant(value: Any) -> Callable[..., Any]:
        """Return a function that always returns `value`."""
        return lambda *_, **__: value

    quiet = ("synchronize", "set_device", "set_stream", "empty_cache", "init", "_lazy_init", "ipc_collect")
    resets = ("reset_peak_memory_stats", "reset_max_memory_allocated", "reset_accumulated_memory_stats")
    memory = ("memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved")
    return {
        **dict.fromkeys(quiet + resets, _no_op),
        **dict.fromkeys(memory, constant(0)),
        **dict.fromkeys(("manual_seed", "manual_seed_all"), _seed),
        **dict.fromkeys(("current_stream", "default_stream"), constant(stream)),
        **dict.fromkeys(("device", "device_of", "_DeviceGuard"), CpuDevice),
        "stream": _context,
        "is_available": constant(True),
        "is_initialized": constant(True),
        "is_bf16_supported": constant(True),
        "is_current_stream_capturing": constant(False),
        "device_count": constant(1),
        "current_device": constant(0),
        "get_device_name": constant(NAME),
        "get_device_capability": constant(CAPABILITY),
        "get_device_properties": _properties,
        "get_arch_list": constant([MODEL.target.name]),
        "mem_get_info": constant((TOTAL_BYTES, TOTAL_BYTES)),
        "get_rng_state": lambda *_: torch.default_generator.get_state(),
        "set_rng_state": lambda state, *_: torch.default_generator.set_state(state),
        "Stream": CpuStream,
        "ExternalStream": CpuStream,
        "Event": CpuEvent,
    }


def _accelerator_replacements(mapped: dict[str, Any]) -> dict[str, Any]:
    """Return the functions of `torch.accelerator`, by those of `torch.cuda`."""
    same = ("is_available", "device_count", "current_stream", "set_stream", "synchronize", "empty_cache")
    return {
        **{name: mapped[name] for name in same},
        "current_accelerator": lambda *_, **__: torch.device("cuda"),
        "current_device_index": mapped["current_device"],
        "set_device_index": mapped["set_device"],
    }


class CpuDriver:
    """Triton's driver for the GPU that there seems to be.

    Its tensors lie on `device`, and `interface` is what torch has for that.
    """

    def __init__(self, device: torch.device = _GPU, interface: Any = torch.cuda) -> None:
        self._device, self._interface = device, interface

    utils = SimpleNamespace(
        get_device_properties=lambda device=0: {
            "max_shared_mem": PROPERTIES["shared_memory_per_block_optin"],
            "max_num_regs": PROPERTIES["regs_per_multiprocessor"],
            "multiprocessor_count": PROPERTIES["multi_processor_count"],
            "warpSize": PROPERTIES["warp_size"],
            "sm_clock_rate": 1_980_000,
            "mem_clock_rate": 2_619_000,
            "mem_bus_width": 5120,
        }
    )

    def get_current_target(self) -> Any:
        """Return the target of the GPU that there seems to be."""
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", MODEL.target.arch, WARP_THREADS)

    def get_current_device(self) -> int:
        """Return the number of the only GPU."""
        return 0

    def set_current_device(self, *_: Any) -> None: ...

    def get_current_stream(self, *_: Any) -> int:
        """Return the number of the only stream."""
        return 0

    def get_active_torch_device(self) -> torch.device:
        """Return torch's device for the GPU."""
        return self._device

    def get_device_interface(self) -> Any:
        """Return torch's module for the GPU."""
        return self._interface

    def get_empty_cache_for_benchmark(self) -> torch.Tensor:
        """Return a tensor that stands for the GPU's cache."""
        return torch.empty(1, dtype=torch.int32)

    def clear_cache(self, cache: torch.Tensor) -> None: ...

    def get_benchmarker(self) -> Any:
        """Return Triton's function for measuring times."""
        from triton.testing import do_bench

        return do_bench

    def __getattr__(self, name: str) -> Any:
        raise NotMappedError(f"triton.runtime.driver.active.{name}")


def cpu_driver() -> CpuDriver:
    """Return a driver for scripts whose tensors are the CPU's."""
    interface = SimpleNamespace(Event=CpuEvent, Stream=CpuStream, synchronize=lambda *_: None)
    return CpuDriver(torch.device("cpu"), interface)


class CudaOnCpu(TorchFunctionMode):
    """Torch mode that maps "cuda" to the CPU while it is entered.

    Tensors can be made on and moved to "cuda", and say that they are there.
    """

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func in _QUERIES:
            return func(*args, **kwargs) if _is_internal_query() else _QUERIES[func](*args)
        if func in _METHODS:
            return _METHODS[func](*args, **kwargs)
        for each in types:
            if getattr(each.__torch_function__, "__func__", None) not in _PLAIN_FUNCTIONS:
                # A subclass handles the call. What it leaves to torch.Tensor comes here again, without its types.
                with self:
                    result = each.__torch_function__(func, types, args, kwargs)
                if result is not NotImplemented:
                    return result
        device = kwargs.get("device")
        has_default = device is None and _device.CURRENT_DEVICE is not None
        if has_default and func in _device._device_constructors():
            device = _device.CURRENT_DEVICE  # torch.set_default_device, or `with torch.device(…):`
        if device is not None:
            kwargs = {**kwargs, "device": _physical_device(device)}
        # Without a GPU, PyTorch refuses to pin memory.
        if kwargs.get("pin_memory"):
            kwargs = {**kwargs, "pin_memory": False}
        result = func(*args, **kwargs)
        if isinstance(result, torch.Tensor | list | tuple):
            self._record_placement(result, args, kwargs, device)
        return result

    def _record_placement(self, result: Any, args: Any, kwargs: Any, device: Any) -> None:
        """Record on which device people see a result.

        The device is the one they asked for, or the one of the operands.
        """
        if device is not None:
            on_gpu = _is_gpu(device)
        else:
            sources = list(tensors_of((*args, *kwargs.values())))
            on_gpu = any(is_on_gpu(tensor) for tensor in sources)
        for tensor in tensors_of((result,)):
            # A view, or a result in place, shares a storage whose place is known.
            has_new_place = device is not None or _recorded_placement(tensor) is None
            if has_new_place:
                _mark_placement(tensor, on_gpu=on_gpu)


def _is_internal_query() -> bool:
    """Return whether a library asks about a tensor.

    Torch's own code, Triton's or ours gets another answer than the project's.
    """
    # Frame 1 is `__torch_function__`; whoever asks is behind it.
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__") in _MODE_MODULES:
        frame = frame.f_back
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] in _INTERNAL_PACKAGES


def tensors_of(things: Any) -> Iterator[torch.Tensor]:
    for thing in things:
        if isinstance(thing, torch.Tensor):
            yield thing
        elif isinstance(thing, list | tuple):
            yield from tensors_of(thing)


def _is_gpu(device: Any) -> bool:
    return isinstance(device, int) or torch.device(device).type == "cuda"


def _physical_device(device: Any) -> Any:
    return "cpu" if _is_gpu(device) else device


def _recorded_placement(tensor: torch.Tensor) -> bool | None:
    """Return whether a tensor is seen on the GPU.

    None if nobody has recorded it.
    """
    return getattr(_record_of(tensor), "_is_on_gpu", None)


def _mark_placement(tensor: torch.Tensor, *, on_gpu: bool) -> torch.Tensor:
    _record_of(tensor)._is_on_gpu = on_gpu
    return tensor


def _record_of(tensor: torch.Tensor) -> Any:
    """Return the object that has a tensor's placement.

    It is the storage, which views share, or the tensor if it has none, as inside `torch.func.grad`.
    """
    try:
        # PyTorch keeps a storage's Python object as long as its memory, and so what is noted there.
        return tensor.untyped_storage()
    except (RuntimeError, NotImplementedError):
        return tensor


def is_on_gpu(tensor: torch.Tensor) -> bool:
    """Return whether a tensor counts as on the GPU.

    What torch made by itself, as a gradient, was computed from what kernels need: it does.
    """
    return _recorded_placement(tensor) is not False


def place(tensor: torch.Tensor, *, on_gpu: bool) -> torch.Tensor:
    """Return a tensor that torch made, or its copy, with this placement."""
    recorded = _recorded_placement(tensor)
    if recorded == on_gpu:
        return tensor
    return _mark_placement(tensor if recorded is None else tensor.clone(), on_gpu=on_gpu)


def _move(tensor: torch.Tensor, result: torch.Tensor, *, on_gpu: bool) -> torch.Tensor:
    """Return the result of a move.

    A tensor from another device gets memory of its own.
    """
    if result is tensor:
        # A move to the other device gives a copy, even if both are the CPU's memory.
        if is_on_gpu(tensor) == on_gpu:
            return result
        result = result.clone()
    return _mark_placement(result, on_gpu=on_gpu)


def _cuda(tensor: torch.Tensor, *_: Any, **__: Any) -> torch.Tensor:
    return _move(tensor, tensor, on_gpu=True)


def _cpu(tensor: torch.Tensor, *_: Any, **__: Any) -> torch.Tensor:
    return _move(tensor, tensor, on_gpu=False)


def _to(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
    first = args[0] if args else kwargs.get("other", kwargs.get("device"))
    if isinstance(first, torch.Tensor):
        on_gpu = is_on_gpu(first)
    elif isinstance(first, str | int | torch.device):
        on_gpu = _is_gpu(first)
        args = (_physical_device(first), *args[1:]) if args else args
    else:
        device = kwargs.get("device")
        on_gpu = is_on_gpu(tensor) if device is None else _is_gpu(device)
    if kwargs.get("device") is not None:
        kwargs["device"] = _physical_device(kwargs["device"])
    return _move(tensor, tensor.to(*args, **kwargs), on_gpu=on_gpu)


def _register_hook(tensor: torch.Tensor, hook: Callable[[torch.Tensor], Any]) -> Any:
    """Register a hook whose gradient is where the tensor is."""
    on_gpu = is_on_gpu(tensor)

    def placed_hook(gradient: torch.Tensor) -> Any:
        return hook(place(gradient, on_gpu=on_gpu))

    return tensor.register_hook(placed_hook)  # type: ignore[no-untyped-call]


def _skip_pinning(tensor: torch.Tensor, *_: Any, **__: Any) -> torch.Tensor:
    return tensor


def _device_of(tensor: torch.Tensor, *_: Any) -> torch.device:
    return _GPU if _is_cuda(tensor) else tensor.device


def _is_cuda(tensor: torch.Tensor, *_: Any) -> bool:
    return tensor.device.type == "cpu" and is_on_gpu(tensor)


def _is_cpu(tensor: torch.Tensor, *_: Any) -> bool:
    return tensor.device.type == "cpu" and not is_on_gpu(tensor)


def _get_device(tensor: torch.Tensor, *_: Any) -> int:
    return 0 if _is_cuda(tensor) else -1


_QUERIES: dict[Any, Callable[..., Any]] = {
    torch.Tensor.device.__get__: _device_of,
    torch.Tensor.is_cuda.__get__: _is_cuda,  # type: ignore[attr-defined]
    torch.Tensor.is_cpu.__get__: _is_cpu,  # type: ignore[attr-defined]
    torch.Tensor.get_device: _get_device,
}
"""Questions about a tensor's device."""
_METHODS: dict[Any, Callable[..., Any]] = {
    torch.Tensor.cuda: _cuda,
    torch.Tensor.cpu: _cpu,
    torch.Tensor.to: _to,
    torch.Tensor.pin_memory: _skip_pinning,
    torch.Tensor.register_hook: _register_hook,
    torch.Tensor.record_stream: _no_op,
}
