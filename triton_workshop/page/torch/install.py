"""Puts the stand-in where scripts import torch from: an explicit list of names, and a sentence for any other."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from types import ModuleType, SimpleNamespace
from typing import Any

from triton_workshop.page.torch import elementwise, making, products, random, reductions, views  # fill the tables
from triton_workshop.page.torch.absent import explained, missing
from triton_workshop.page.torch.dtypes import (
    ALIASES,
    DTYPES,
    Size,
    device,
    dtype,
    finfo,
    only_the_cpu,
    promote_types,
)
from triton_workshop.page.torch.layout import TensorStorage
from triton_workshop.page.torch.printing import text_of
from triton_workshop.page.torch.tensor import FUNCTIONS, METHODS, Tensor, gradients, view

OLDEST = "2.11.0"
"""What `torch.__version__` says: the oldest PyTorch that the workshop takes has all of these names."""
_mode = [0]
_MODES = ("default", "warn", "error")
_TABLES = (elementwise, making, products, random, reductions, views)


class Parameter(Tensor):
    """A tensor that wants a gradient."""

    def __new__(cls, data: Tensor, requires_grad: bool = True) -> Any:
        new = view(data, data.shape, data.strides_)
        new.__class__ = cls
        new.requires_grad = requires_grad
        return new


class Function:
    """A function of the script's own with its own derivative: `forward` and `backward`."""

    @classmethod
    def apply(cls, *given: Any) -> Any:
        """Call `forward`; `backward` of the result calls the function's own, and adds to each input's `grad`."""
        context: Any = SimpleNamespace(saved_tensors=())
        context.save_for_backward = lambda *tensors: setattr(context, "saved_tensors", tensors)
        with gradients(on=False):
            result = cls.forward(context, *given)  # type: ignore[attr-defined]
        wanted = [each for each in given if isinstance(each, Tensor) and each.requires_grad]
        if wanted:
            result.requires_grad, result.backward_ = True, lambda gradient: cls._back(context, given, gradient)
        return result

    @classmethod
    def _back(cls, context: Any, given: tuple[Any, ...], gradient: Tensor) -> None:
        with gradients(on=False):
            found = cls.backward(context, gradient)  # type: ignore[attr-defined]
            for each, own in zip(given, found if isinstance(found, tuple) else (found,), strict=True):
                if isinstance(each, Tensor) and each.requires_grad and own is not None:
                    if each.backward_ is not None:
                        each.backward_(own)
                    else:
                        each.grad = own if each.grad is None else METHODS["add"](each.grad, own)


def backward(self: Tensor, gradient: Any = None) -> None:
    if self.backward_ is None:
        raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
    if gradient is None and self.size_ != 1:
        raise RuntimeError("grad can be implicitly created only for scalar outputs")
    self.backward_(FUNCTIONS["ones_like"](self) if gradient is None else gradient)


class _PageModule(ModuleType):
    """A module of PyTorch, with the names that a page has."""

    def __getattr__(self, name: str) -> Any:
        raise missing(self.__name__, name, f"module '{self.__name__}' has no attribute '{name}'")


def set_debug_mode(debug_mode: Any) -> None:
    _mode[0] = _MODES.index(debug_mode) if isinstance(debug_mode, str) else int(debug_mode)


def _no_gpu() -> None:
    only_the_cpu("cuda")


def modules() -> Mapping[str, Mapping[str, Any]]:
    """By module: every name that a page has."""
    own = {"Tensor": Tensor, "Size": Size, "dtype": dtype, "device": device, "finfo": finfo, "strided": "torch.strided"}
    own |= {"contiguous_format": "torch.contiguous_format"}
    own |= {
        "Generator": random.Generator,
        "default_generator": random.default_generator,
        "no_grad": lambda: gradients(on=False),
    }
    own |= {
        "enable_grad": lambda: gradients(on=True),
        "inf": float("inf"),
        "nan": float("nan"),
        "pi": 3.141592653589793,
    }
    own |= {"__version__": OLDEST, "promote_types": promote_types, "set_num_threads": lambda threads: None}
    own |= {"get_num_threads": lambda: 1, "get_default_dtype": lambda: DTYPES["float32"]}
    own |= {"result_type": elementwise.result_type, "is_grad_enabled": gradients_are_on}
    own |= {"get_deterministic_debug_mode": lambda: _mode[0], "set_deterministic_debug_mode": set_debug_mode}
    cuda = {"is_available": lambda: False, "device_count": lambda: 0, "synchronize": _no_gpu, "current_device": _no_gpu}
    functional = {name: explained(work, f"torch.nn.functional.{name}") for name, work in products.FUNCTIONAL.items()}
    return {
        "torch": own | DTYPES | {name: DTYPES[of] for name, of in ALIASES.items()} | FUNCTIONS,
        "torch.cuda": cuda | {"is_initialized": lambda: False},
        "torch.nn": {"Parameter": Parameter},
        "torch.nn.functional": functional,
        "torch.autograd": {"Function": Function},
    }


def gradients_are_on() -> bool:
    from triton_workshop.page.torch.tensor import _with_gradients

    return _with_gradients[0]


def properties() -> Iterator[tuple[str, Any]]:
    """What a tensor has without being called."""
    transpose, permute = METHODS["transpose"], METHODS["permute"]
    yield "T", property(lambda self: permute(self, tuple(range(self.ndim))[::-1]))
    yield "mT", property(lambda self: transpose(self, -2, -1))
    yield "data", property(lambda self: view(self, self.shape, self.strides_))
    yield "is_leaf", property(lambda self: self.backward_ is None)
    yield "itemsize", property(lambda self: self.dtype.itemsize)


def dressed() -> type[Tensor]:
    """The class of tensors, with the methods of the tables."""
    for name, work in (*METHODS.items(), *properties(), ("backward", backward), ("__repr__", text_of)):
        setattr(Tensor, name, work)
    Tensor.__module__, Tensor.__qualname__ = "torch", "Tensor"
    TensorStorage.__name__ = TensorStorage.__qualname__ = "UntypedStorage"
    return Tensor


def built() -> dict[str, ModuleType]:
    """By name: the modules, each with its names."""
    dressed()
    found: dict[str, ModuleType] = {}
    for name, names in modules().items():
        found[name] = module = _PageModule(name)
        module.__dict__.update(names, __path__=[], __spec__=None)
        owner, _, own = name.rpartition(".")
        if owner:
            setattr(found[owner], own, module)
    return found


def install() -> None:
    """Make `import torch` give this."""
    sys.modules.update(built())
