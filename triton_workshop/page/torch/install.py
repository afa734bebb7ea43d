"""Modules of the stand-in, as scripts import them.

They have an explicit list of names, and a sentence for any other.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from types import ModuleType, SimpleNamespace
from typing import Any

from triton_workshop.page.torch import creation, elementwise, products, random, reductions, views  # fill the tables
from triton_workshop.page.torch.absent import explain_arguments, missing_error
from triton_workshop.page.torch.dtypes import (
    ALIASES,
    DTYPES,
    Size,
    device,
    dtype,
    finfo,
    promote_types,
    require_cpu,
)
from triton_workshop.page.torch.layout import TensorStorage
from triton_workshop.page.torch.printing import format_tensor
from triton_workshop.page.torch.tensor import FUNCTIONS, METHODS, Tensor, _grad_enabled, set_gradients, view

OLDEST = "2.11.0"
"""Value of `torch.__version__`.

The oldest PyTorch that the workshop takes has all of these names.
"""
_mode = [0]
_MODES = ("default", "warn", "error")
_TABLES = (elementwise, creation, products, random, reductions, views)


class Parameter(Tensor):
    """Tensor that requires a gradient."""

    def __new__(cls, data: Tensor, requires_grad: bool = True) -> Any:
        new = view(data, data.shape, data.strides_)
        new.__class__ = cls
        new.requires_grad = requires_grad
        return new


class Function:
    """Function with a derivative of its own: `forward` and `backward`."""

    @classmethod
    def apply(cls, *inputs: Any) -> Any:
        """Call `forward`, and let the result's `backward` call the function's own.

        That adds to each input's `grad`.
        """
        context: Any = SimpleNamespace(saved_tensors=())
        context.save_for_backward = lambda *tensors: setattr(context, "saved_tensors", tensors)
        with set_gradients(enabled=False):
            result = cls.forward(context, *inputs)  # type: ignore[attr-defined]
        tensors = [tensor for tensor in inputs if isinstance(tensor, Tensor)]
        is_differentiable = any(tensor.requires_grad for tensor in tensors)
        if is_differentiable:
            result.requires_grad, result.backward_ = True, lambda gradient: cls._accumulate(context, inputs, gradient)
        return result

    @classmethod
    def _accumulate(cls, context: Any, inputs: tuple[Any, ...], gradient: Tensor) -> None:
        with set_gradients(enabled=False):
            gradients = cls.backward(context, gradient)  # type: ignore[attr-defined]
            if not isinstance(gradients, tuple):
                gradients = (gradients,)
            for tensor, input_gradient in zip(inputs, gradients, strict=True):
                is_differentiable = isinstance(tensor, Tensor) and tensor.requires_grad
                if is_differentiable and input_gradient is not None:
                    _add_gradient(tensor, input_gradient)


def _add_gradient(tensor: Tensor, gradient: Tensor) -> None:
    """Propagate a gradient to a tensor's inputs, or add it to its own."""
    if tensor.backward_ is not None:
        tensor.backward_(gradient)
    elif tensor.grad is None:
        tensor.grad = gradient
    else:
        tensor.grad = METHODS["add"](tensor.grad, gradient)


def backward(self: Tensor, gradient: Any = None) -> None:
    """Compute gradients, of a result of `Function` only."""
    if self.backward_ is None:
        raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
    if gradient is None and self.size_ != 1:
        raise RuntimeError("grad can be implicitly created only for scalar outputs")
    self.backward_(FUNCTIONS["ones_like"](self) if gradient is None else gradient)


class _PageModule(ModuleType):
    """Module of PyTorch, with the names that a page has."""

    def __getattr__(self, name: str) -> Any:
        raise missing_error(self.__name__, name, f"module '{self.__name__}' has no attribute '{name}'")


def set_debug_mode(debug_mode: Any) -> None:
    """Set the mode in which nondeterministic operations warn or fail."""
    _mode[0] = _MODES.index(debug_mode) if isinstance(debug_mode, str) else int(debug_mode)


def _no_gpu() -> None:
    require_cpu("cuda")


def modules() -> Mapping[str, Mapping[str, Any]]:
    """Return every name that a page has, by module."""
    names = {
        "Tensor": Tensor,
        "Size": Size,
        "dtype": dtype,
        "device": device,
        "finfo": finfo,
        "strided": "torch.strided",
    }
    # A script only passes it on, like `strided`: a text is enough.
    names |= {"contiguous_format": "torch.contiguous_format"}
    names |= {
        "Generator": random.Generator,
        "default_generator": random.default_generator,
        "no_grad": lambda: set_gradients(enabled=False),
    }
    names |= {
        "enable_grad": lambda: set_gradients(enabled=True),
        "inf": float("inf"),
        "nan": float("nan"),
        "pi": 3.141592653589793,
    }
    names |= {"__version__": OLDEST, "promote_types": promote_types, "set_num_threads": lambda threads: None}
    names |= {"get_num_threads": lambda: 1, "get_default_dtype": lambda: DTYPES["float32"]}
    names |= {"result_type": elementwise.result_type, "is_grad_enabled": is_grad_enabled}
    names |= {"get_deterministic_debug_mode": lambda: _mode[0], "set_deterministic_debug_mode": set_debug_mode}
    cuda = {"is_available": lambda: False, "device_count": lambda: 0, "synchronize": _no_gpu, "current_device": _no_gpu}
    functional = {
        name: explain_arguments(function, f"torch.nn.functional.{name}")
        for name, function in products.FUNCTIONAL.items()
    }
    return {
        "torch": names | DTYPES | {name: DTYPES[of] for name, of in ALIASES.items()} | FUNCTIONS,
        "torch.cuda": cuda | {"is_initialized": lambda: False},
        "torch.nn": {"Parameter": Parameter},
        "torch.nn.functional": functional,
        "torch.autograd": {"Function": Function},
    }


def is_grad_enabled() -> bool:
    """Return whether operations record gradients."""
    return _grad_enabled[0]


def properties() -> Iterator[tuple[str, Any]]:
    """Yield the properties of a tensor."""
    transpose, permute = METHODS["transpose"], METHODS["permute"]
    yield "T", property(lambda self: permute(self, tuple(range(self.ndim))[::-1]))
    yield "mT", property(lambda self: transpose(self, -2, -1))
    yield "data", property(lambda self: view(self, self.shape, self.strides_))
    yield "is_leaf", property(lambda self: self.backward_ is None)
    yield "itemsize", property(lambda self: self.dtype.itemsize)


def complete_tensor_class() -> type[Tensor]:
    """Return the class of tensors, with the methods of the tables."""
    for name, function in (*METHODS.items(), *properties(), ("backward", backward), ("__repr__", format_tensor)):
        setattr(Tensor, name, function)
    # Error messages and reprs name the classes as PyTorch's.
    Tensor.__module__, Tensor.__qualname__ = "torch", "Tensor"
    TensorStorage.__name__ = TensorStorage.__qualname__ = "UntypedStorage"
    return Tensor


def build_modules() -> dict[str, ModuleType]:
    """Return the modules by name."""
    complete_tensor_class()
    built: dict[str, ModuleType] = {}
    for name, names in modules().items():
        built[name] = module = _PageModule(name)
        # Without a path, `import torch.nn` would say that torch is not a package.
        module.__dict__.update(names, __path__=[], __spec__=None)
        owner, _, attribute = name.rpartition(".")
        if owner:
            setattr(built[owner], attribute, module)
    return built


def install() -> None:
    """Make `import torch` give this."""
    sys.modules.update(build_modules())
