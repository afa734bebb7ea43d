"""Exercise 2: the sepia filter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triton_workshop.checking.exercise import Axis, Case, Exercise, Showing, seeded, small_picture, uniform
from triton_workshop.checking.mistakes import (
    LAST,
    MASKS,
    PATTERN_OF_TILES,
    TENSORS,
    Mistake,
    at,
    at_call,
    out_of_bounds,
    unwritten,
)

if TYPE_CHECKING:
    import torch

    from triton_workshop.checking.evidence import Evidence
    from triton_workshop.checking.exercise import Launcher

WEIGHTS = ((0.393, 0.769, 0.189), (0.349, 0.686, 0.168), (0.272, 0.534, 0.131))
"""Row: output channel; column: input channel; both red, green, blue. The matrix in common use, as in Microsoft's
"Image Processing" column of MSDN Magazine, January 2005."""
ORDERS = ((0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))
"""The orders of three planes that are wrong."""


def _case(height: int, width: int, again: str = "") -> Case:
    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        return (uniform(3, height, width, device=device, generator=seeded("sepia", height, width, again)),)

    return Case(f"{height:,} × {width:,} pixels{again}", arguments)


def _mixed(image: torch.Tensor) -> torch.Tensor:
    """The weighted sums."""
    return (image.new_tensor(WEIGHTS) @ image.flatten(1)).view_as(image)


def _reference(image: torch.Tensor) -> torch.Tensor:
    return _mixed(image).clamp(max=1.0)


def _show(launcher: Launcher, image: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return (launcher(image),)


def _image(evidence: Evidence) -> torch.Tensor:
    return evidence.arguments[0].double()


def _no_clip(evidence: Evidence) -> bool:
    mixed = _mixed(_image(evidence))
    wrong = (mixed, mixed.clamp(min=1.0), mixed.clamp(min=0.0), mixed.clamp(max=255.0), mixed.clamp(min=0.0, max=1e9))
    return evidence.values_only and any(evidence.equals(values) for values in wrong)


def _planes_in_another_order(evidence: Evidence) -> bool:
    image, right = _image(evidence), evidence.expected
    loaded = (_reference(image[list(order)]) for order in ORDERS)
    stored = (right[list(order)] for order in ORDERS)
    return evidence.values_only and any(evidence.equals(values) for values in (*loaded, *stored))


def _one_plane_for_all(evidence: Evidence) -> bool:
    image = _image(evidence)
    planes = ((0, 0, 0), (1, 1, 1), (2, 2, 2), (0, 0, 2), (0, 1, 0), (0, 1, 1), (0, 0, 1), (1, 1, 2), (0, 2, 2))
    return evidence.values_only and any(evidence.equals(_reference(image[list(order)])) for order in planes)


def _planes_left_out(evidence: Evidence) -> bool:
    """Some plane has all of its pixels, another none."""
    whole = evidence.written.flatten(1).all(dim=1)
    none = evidence.unwritten.flatten(1).all(dim=1)
    return unwritten(evidence) and bool(whole.any()) and bool(none.any())


def _reads_what_it_has_just_computed(evidence: Evidence) -> bool:
    import torch

    channels = list(_image(evidence))
    for channel, weights in enumerate(WEIGHTS):
        mixed = sum(weight * plane for weight, plane in zip(weights, channels, strict=True))
        channels[channel] = mixed.clamp(max=1.0)
    return evidence.values_only and evidence.equals(torch.stack(channels))


def _interleaved(evidence: Evidence) -> bool:
    """Red, green and blue taken for neighbours in memory."""
    image = _image(evidence)
    pixels = image.reshape(-1, 3).t().reshape(image.shape)
    mixed = _reference(pixels).reshape(3, -1).t().reshape(image.shape)
    return evidence.values_only and evidence.equals(mixed)


def _other_weights(evidence: Evidence) -> bool:
    """Where nothing is clipped, each output channel is a weighted sum: only the weights are others."""
    import torch

    if not evidence.values_only:
        return False
    inputs, output = _image(evidence).flatten(1).t(), evidence.output.double().flatten(1).t()
    unclipped = ((output < 1.0) & output.isfinite()).all(dim=1)
    if not unclipped.any():
        return False
    weights = torch.linalg.lstsq(inputs[unclipped], output[unclipped]).solution
    return bool(torch.allclose(inputs[unclipped] @ weights, output[unclipped], atol=1e-5, rtol=0.0))


def _swapped_strides(evidence: Evidence) -> bool:
    """Pixel (row, column) taken to lie at row + column * something."""
    text = _offsets(evidence)
    columns_scaled = any(word in text for word in ("[None, :] * ", "cols * ", " * cols"))
    return (unwritten(evidence) or out_of_bounds(evidence) or evidence.values_only) and columns_scaled


def _wrong_stride(evidence: Evidence) -> bool:
    text = _offsets(evidence)
    rows_by = [part for part in ("rows[:, None] * height", "height * rows[:, None]") if part in text]
    plane = any(part in text for part in ("BLOCK_SIZE_H * BLOCK_SIZE_W", "BLOCK_SIZE_W * BLOCK_SIZE_H"))
    return bool(rows_by) or plane


def _offsets(evidence: Evidence) -> str:
    calls = [*evidence.source.calls("load"), *evidence.source.calls("store")]
    return " ; ".join(evidence.source.text_of(call.args[0]) for call in calls if call.args)


def _output_too_small(evidence: Evidence) -> bool:
    launch = evidence.launch
    if not out_of_bounds(evidence) or launch is None or evidence.fault is None:
        return False
    tensor = launch.tensors.get(evidence.fault.argument or "")
    return tensor is not None and tensor.stored > 0 and tensor.shape != tuple(evidence.expected.shape)


SHAPES = (
    Mistake(
        "wrong-shape",
        (
            "How many elements does the output have, and how many does the kernel store?",
            "The kernel stores to a tensor smaller than the image: torch.empty_like(image) has all its planes.",
        ),
        _output_too_small,
        blames=at("output"),
    ),
)
STRIDES = (
    Mistake(
        "swapped-strides",
        (
            "How far apart in memory are two pixels of one row? And of one column?",
            "A row is width elements long: pixel (row, column) lies at row * width + column. The row has the factor.",
        ),
        _swapped_strides,
        todo=3,
        blames=at("offsets"),
    ),
    Mistake(
        "wrong-stride",
        (
            "How many elements does one row have, and how many one channel?",
            "A step down is width elements, a step to the next channel is height * width elements: whatever the tile.",
        ),
        _wrong_stride,
        blames=at("offsets"),
    ),
)
MISTAKES = (
    Mistake(
        "no-clip",
        (
            "What is the largest value that a channel may have?",
            "A weighted sum can exceed 1.0, and light cannot: tl.minimum(value, 1.0) keeps the smaller one.",
        ),
        _no_clip,
        todo=6,
        blames=at("sepia_red"),
    ),
    Mistake(
        "channel-forgotten",
        (
            "From which plane of the picture does each channel come?",
            "Several channels come from the same plane. The next plane starts height * width elements further on.",
        ),
        _one_plane_for_all,
        todo=5,
        blames=at("green"),
    ),
    Mistake(
        "channel-forgotten",
        (
            "Into which plane of the output does each channel go?",
            "A whole plane stayed empty. Each of the three stores goes height * width elements further than the one "
            "before.",
        ),
        _planes_left_out,
        todo=7,
        blames=at_call("store"),
    ),
    Mistake(
        "plane-order",
        (
            "Which plane is red, which green, which blue?",
            "Planes have changed places, where they are loaded or stored: red comes first, then green, then blue.",
        ),
        _planes_in_another_order,
        todo=5,
        blames=at("blue"),
    ),
    Mistake(
        "overwritten-channel",
        (
            "When green' is computed, which red does it use?",
            "All three sums need the channels as they were loaded. Give the results names of their own.",
        ),
        _reads_what_it_has_just_computed,
        todo=6,
        blames=lambda evidence: max(evidence.source.assignments("red"), default=None),
    ),
    Mistake(
        "channels-interleaved",
        (
            "Do a pixel's red, green and blue lie side by side in memory?",
            "Here each channel is a plane of its own, all of red first. Offsets of 3 * pixel belong to the other "
            "layout, (height, width, 3).",
        ),
        _interleaved,
        todo=5,
        blames=at("red"),
    ),
    Mistake(
        "wrong-weights",
        (
            "Do the nine weights stand as the file's first lines have them?",
            "Each output channel has one row of three weights. Compare them number by number, and the row with the "
            "column.",
        ),
        _other_weights,
        todo=6,
        blames=at("sepia_red"),
    ),
)

EXERCISE = Exercise(
    number=2,
    title="a picture in sepia",
    launcher="sepia",
    kernel="sepia_kernel",
    # Height and width differ, so that swapping them shows; smaller than a tile, a tile, one more, and primes.
    cases=(
        *(_case(h, w) for h, w in ((5, 3), (1, 1), (15, 63), (16, 64), (17, 65))),
        _case(17, 65, ", other values"),
        *(_case(h, w) for h, w in ((64, 16), (61, 97))),
    ),
    gpu_cases=tuple(_case(h, w) for h, w in ((1, 1), (61, 97), (2160, 3840))),
    reference=_reference,
    reduction_length=lambda image: 3,
    tiling=(Axis(1, "BLOCK_SIZE_H", 16), Axis(2, "BLOCK_SIZE_W", 64)),
    sizes_by_name=lambda image: {"height": image.shape[1], "width": image.shape[2]},
    inputs_by_name={"x_ptr": 0},
    bytes_moved=lambda image: 2 * image.numel() * image.element_size(),
    operations=lambda image: 6 * image.numel(),
    hints=(
        (
            "This is exercise 1 along the height. Which rows does program pid_h own?",
            "pid_h * BLOCK_SIZE_H plus tl.arange(0, BLOCK_SIZE_H).",
        ),
        (
            "And which columns does program pid_w own?",
            "The same along the width: pid_w, BLOCK_SIZE_W.",
        ),
        (
            "A row is width elements long. Where does pixel (row, col) lie?",
            "At row * width + col. rows[:, None] is a column, cols[None, :] a row: broadcasting makes the 2-D block.",
        ),
        (
            "A tile can stick out at the bottom and on the right. What has to hold for a pixel to exist?",
            "Both: the row is less than height, and (&, in parentheses) the column is less than width.",
        ),
        (
            "Red is the first plane of the picture. How many elements further on does green start?",
            "height * width further, and blue twice that. Load each at x_ptr plus its plane's start plus the offsets, "
            "with the mask.",
        ),
        (
            "What is each output channel made of, and how large may it become?",
            "The weights stand at the top of the file, one row for each output channel. tl.minimum(value, 1.0) clips.",
        ),
        (
            "Which values are stored, and to which plane of the output?",
            "The three planes lie in output_ptr as they do in x_ptr. Each store needs the mask.",
        ),
        (
            "How many tiles along the height, how many along the width? Which of them is axis 0?",
            "A tuple of two: cdiv(height, BLOCK_SIZE_H) first, because axis 0 is pid_h.",
        ),
        (
            "Which arguments does sepia_kernel declare, in which order?",
            "The two tensors, height and width, then the two block sizes.",
        ),
    ),
    todos_for={
        "offsets": (1, 2, 3),
        "mask": (4, 5, 7),
        "load": (5,),
        "sum": (6,),
        "store": (7,),
        "grid": (8,),
        "launch": (9,),
        "blocks": (8, 9),
    },
    mistakes=(*TENSORS, *SHAPES, *PATTERN_OF_TILES, *MISTAKES[2:3], *STRIDES, *MASKS, *MISTAKES, *LAST),
    picture=Case("the picture", lambda device: (small_picture(device),)),
    showing=Showing("the picture, and in sepia", _show),
)
