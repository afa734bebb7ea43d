"""Mapping of "cuda" in what PyTorch or Python calls back.

A mode of PyTorch holds for one thread, and is off during each call that it handles. So threads, backward, custom
operators, hooks of saved tensors, and subclasses of tensors have it entered again for the code that they call.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.autograd import graph
from torch.overrides import _get_current_function_mode_stack

from triton_simulator.cuda_on_cpu import CudaOnCpu, is_on_gpu, place, tensors_of
from triton_simulator.patches import Patches

__tracebackhide__ = True  # pytest leaves these frames out of a traceback


@contextmanager
def mapped() -> Iterator[None]:
    """Map "cuda" to the CPU inside, unless it is mapped already."""
    modes = _get_current_function_mode_stack()  # type: ignore[no-untyped-call]
    is_mapped = any(isinstance(mode, CudaOnCpu) for mode in modes)
    if is_mapped:
        yield
    else:
        with CudaOnCpu():
            yield


def callback_patches(patches: Patches) -> None:
    """Plan that "cuda" is mapped in what is called back."""
    patches.attribute(threading.Thread, "start", _mapped_start(threading.Thread.start))
    # Both modules have the name, and PyTorch itself replaces both for its tracing.
    for module in (torch.autograd, graph):
        patches.attribute(module, "_engine_run_backward", _mapped_function(graph._engine_run_backward))
    apply = inspect.getattr_static(torch.autograd.Function, "apply")
    patches.attribute(torch.autograd.Function, "apply", classmethod(_placed_apply(apply)))
    patches.attribute(graph.saved_tensors_hooks, "__init__", _mapped_hooks(graph.saved_tensors_hooks.__init__))
    patches.attribute(graph, "save_on_cpu", _SaveNowhere)
    patches.attribute(torch.library.Library, "impl", _mapped_impl(torch.library.Library.impl))


def _mapped_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that maps "cuda" and then does the same."""

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        with mapped():
            return function(*arguments, **named)

    return call


def _mapped_start(start: Callable[[threading.Thread], None]) -> Callable[[threading.Thread], None]:
    """Return `Thread.start` for threads that map "cuda".

    A subclass may have a `run` of its own.
    """

    @functools.wraps(start)
    def start_mapped(thread: threading.Thread) -> None:
        run = thread.run

        def run_mapped() -> None:
            del thread.run  # of the object, whose class keeps its own
            with mapped():
                run()

        thread.run = run_mapped  # type: ignore[method-assign]
        start(thread)

    return start_mapped


def _placed_apply(method: Any) -> Callable[..., Any]:
    """Return `Function.apply` whose gradients are where its results are."""

    def apply(cls: Any, *arguments: Any, **named: Any) -> Any:
        # `getattr_static` has given the class method itself, to be bound to each subclass.
        results = method.__get__(None, cls)(*arguments, **named)
        outputs = results if isinstance(results, tuple) else (results,)
        nodes = {output.grad_fn for output in outputs if isinstance(output, torch.Tensor)}
        for node in nodes:
            if isinstance(node, torch.autograd.function.BackwardCFunction):
                on_gpu = list(map(_is_gpu_tensor, outputs))
                node.register_prehook(functools.partial(_place_gradients, on_gpu))
        return results

    return apply


def _is_gpu_tensor(output: Any) -> bool:
    return isinstance(output, torch.Tensor) and is_on_gpu(output)


def _place_gradients(on_gpu: list[bool], gradients: tuple[torch.Tensor | None, ...]) -> tuple[Any, ...]:
    return tuple(
        gradient if gradient is None else place(gradient, on_gpu=gpu)
        for gradient, gpu in zip(gradients, on_gpu, strict=False)
    )


def _mapped_hooks(initialize: Callable[..., None]) -> Callable[..., None]:
    """Return `saved_tensors_hooks.__init__` for hooks that map "cuda".

    Unpacking happens in backward, where it is mapped already.
    """

    @functools.wraps(initialize)
    def initialize_mapped(self: Any, pack_hook: Callable[..., Any], unpack_hook: Callable[..., Any]) -> None:
        initialize(self, _mapped_function(pack_hook), unpack_hook)

    return initialize_mapped


class _SaveNowhere(graph.saved_tensors_hooks):
    """`save_on_cpu` where everything is on the CPU."""

    def __init__(self, *_: Any, **__: Any) -> None:
        super().__init__(lambda tensor: tensor, lambda tensor: tensor)


def _mapped_impl(impl: Callable[..., None]) -> Callable[..., None]:
    """Return `Library.impl` for operators that map "cuda".

    Of an operator that has one implementation for the CPU and one for CUDA, the arguments choose.
    """
    implementations: dict[tuple[str, str], dict[str, Callable[..., Any]]] = {}

    @functools.wraps(impl)
    def impl_mapped(library: Any, op_name: Any, fn: Any, dispatch_key: str = "", **named: Any) -> None:
        key = dispatch_key or library.dispatch_key
        is_function = fn is not torch.library.fallthrough_kernel and callable(fn)
        if not is_function:
            impl(library, op_name, fn, dispatch_key, **named)
            return
        has_choice = key in ("CPU", "CUDA") and library.ns != "aten"
        if not has_choice:
            impl(library, op_name, _mapped_function(fn), dispatch_key, **named)
            return
        name = _operator_name(op_name)
        choices = implementations.setdefault((library.ns, name), {})
        # PyTorch gets one implementation, which chooses; it decides itself whether a key may come twice.
        is_first = not choices or key in choices
        choices[key] = fn
        if is_first:
            # All tensors' memory is the CPU's, so PyTorch dispatches by this key.
            impl(library, op_name, functools.partial(_choose, f"{library.ns}::{name}", choices), "CPU", **named)

    return impl_mapped


def _operator_name(op_name: Any) -> str:
    """Return an operator's name, with its overload but no namespace.

    PyTorch's `impl` takes the default overload for the operator.
    """
    if isinstance(op_name, torch._ops.OpOverload):
        schema = op_name._schema
        op_name = f"{schema.name}.{schema.overload_name}" if schema.overload_name else schema.name
    return str(op_name).rpartition("::")[2]


def _choose(name: str, choices: dict[str, Callable[..., Any]], *arguments: Any, **named: Any) -> Any:
    """Call the implementation for where the arguments are."""
    on_gpu = any(is_on_gpu(tensor) for tensor in tensors_of((*arguments, *named.values())))
    key = "CUDA" if on_gpu else "CPU"
    if key not in choices:
        raise NotImplementedError(f"{name} has no implementation for {key}, only for {', '.join(choices)}")
    with mapped():
        return choices[key](*arguments, **named)
