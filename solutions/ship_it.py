"""Cross-entropy for a model. To test it without a GPU: uv run pytest --triton-simulator solutions/ship_it.py"""

import pytest
import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.library import opcheck, triton_op, wrap_triton


@triton.jit
def log_sum_exp(row_ptr, V, BLOCK_SIZE: tl.constexpr):
    running_max, running_sum = -3.4028234e38, 0.0  # the lowest float32, and an empty sum
    for start in range(0, V, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        block = tl.load(row_ptr + cols, mask=cols < V, other=-float("inf")).to(tl.float32)
        new_max = tl.maximum(running_max, tl.max(block, axis=0))
        running_sum = running_sum * tl.exp(running_max - new_max) + tl.sum(tl.exp(block - new_max), axis=0)
        running_max = new_max
    return running_max + tl.log(running_sum)


@triton.jit
def loss_kernel(logits_ptr, target_ptr, loss_ptr, V, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(axis=0).to(tl.int64)
    logit = tl.load(logits_ptr + row * V + tl.load(target_ptr + row)).to(tl.float32)
    tl.store(loss_ptr + row, log_sum_exp(logits_ptr + row * V, V, BLOCK_SIZE) - logit)


@triton.jit
def gradient_kernel(logits_ptr, target_ptr, grad_ptr, output_ptr, V, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(axis=0).to(tl.int64)
    target, grad = tl.load(target_ptr + row), tl.load(grad_ptr + row)
    total = log_sum_exp(logits_ptr + row * V, V, BLOCK_SIZE)
    for start in range(0, V, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        softmax = tl.exp(tl.load(logits_ptr + row * V + cols, mask=cols < V).to(tl.float32) - total)
        gradient = tl.where(cols == target, softmax - 1, softmax) * grad
        tl.store(output_ptr + row * V + cols, gradient, mask=cols < V)


@triton_op("workshop::cross_entropy", mutates_args={})
def cross_entropy(logits: Tensor, target: Tensor) -> Tensor:
    (M, V), logits = logits.shape, logits.contiguous()
    loss = logits.new_empty(M, dtype=torch.float32)
    wrap_triton(loss_kernel)[(M,)](logits, target, loss, V, 1024)
    return loss


@triton_op("workshop::cross_entropy_gradient", mutates_args={})
def gradient(logits: Tensor, target: Tensor, grad: Tensor) -> Tensor:
    (M, V), logits, grad = logits.shape, logits.contiguous(), grad.contiguous()
    output = torch.empty_like(logits)
    wrap_triton(gradient_kernel)[(M,)](logits, target, grad, output, V, 1024)
    return output


cross_entropy.register_autograd(
    lambda ctx, grad: (gradient(*ctx.saved_tensors, grad), None),
    setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs),
)


@pytest.mark.parametrize("V", [1, 1000, 1024, 2049])
def test_loss_and_gradient_are_those_of_float64(V):
    logits = torch.randn(5, V, device="cuda").mul(10).requires_grad_()
    exact, target = logits.detach().double().requires_grad_(), torch.randint(V, (5,), device="cuda")
    loss, expected = cross_entropy(logits, target), torch.nn.functional.cross_entropy(exact, target, reduction="none")
    loss.sum().backward(), expected.sum().backward()
    torch.testing.assert_close([loss, logits.grad], [expected, exact.grad], check_dtype=False)


def test_operator_is_one_that_pytorch_can_compile(pytestconfig):
    logits, target = torch.randn(5, 1000, device="cuda").requires_grad_(), torch.arange(5, device="cuda")
    on_simulator = ("test_schema", "test_autograd_registration")  # the other two trace the kernel, which needs a GPU
    utils = on_simulator if pytestconfig.getoption("triton_simulator", False) else "ALL"
    opcheck(cross_entropy, (logits, target), test_utils=utils)
