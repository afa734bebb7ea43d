"""Exercise 3: convolution."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triton_workshop.checking.exercise import (
    GIVEN,
    Axis,
    Case,
    Exercise,
    Showing,
    normal,
    seeded,
    small_picture,
    uniform,
)
from triton_workshop.checking.mistakes import (
    LAST,
    MASKS,
    PATTERN_OF_TILES,
    TENSORS,
    Mistake,
    at,
    mask_at_fault,
    out_of_bounds,
    outside_load,
    unwritten,
)
from triton_workshop.checking.verdict import Kind

if TYPE_CHECKING:
    import torch

    from triton_workshop.checking.evidence import Evidence
    from triton_workshop.checking.exercise import Launcher

SOBEL_Y = ((1.0, 2.0, 1.0), (0.0, 0.0, 0.0), (-1.0, -2.0, -1.0))
SOBEL_X = ((-1.0, 0.0, 1.0), (-2.0, 0.0, 2.0), (-1.0, 0.0, 1.0))


def _case(channels: int, height: int, width: int, size: int, again: str = "") -> Case:
    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        generator = seeded("conv2d", channels, height, width, size, again)
        image = uniform(channels, height, width, device=device, generator=generator)
        return image, normal(size, size, device=device, generator=generator)

    return Case(f"{channels} × {height:,} × {width:,}, filter {size} × {size}{again}", arguments)


def _reference(image: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    import torch

    padding = weight.shape[0] // 2
    return torch.nn.functional.conv2d(image[:, None], weight[None, None], padding=padding)[:, 0]


def _show(launcher: Launcher, image: torch.Tensor) -> tuple[torch.Tensor, ...]:
    filters = (image.new_tensor(weights) for weights in (SOBEL_Y, SOBEL_X))
    return tuple(launcher(image, weight).abs() for weight in filters)


def _doubles(evidence: Evidence) -> tuple[torch.Tensor, torch.Tensor]:
    image, weight = evidence.arguments
    return image.double(), weight.double()


def _flipped(evidence: Evidence) -> bool:
    image, weight = _doubles(evidence)
    wrong = (weight.flip(0, 1), weight.flip(0), weight.flip(1))
    return evidence.values_only and any(evidence.equals_reference(image, turned) for turned in wrong)


def _line_of_the_flip(evidence: Evidence) -> int | None:
    """Where i or j is subtracted: from the rows and columns, or else from the place in the filter."""
    source = evidence.source
    lines = source.assignments("input_rows", "input_cols")
    turned = [line for line in lines if any(part in source.line(line) for part in ("- i", "- j"))]
    return next(iter([*turned, *source.assignments("weight")]), None)


def _transposed(evidence: Evidence) -> bool:
    image, weight = _doubles(evidence)
    wrong = (weight.t(), weight.t().flip(0, 1))
    return evidence.values_only and any(evidence.equals_reference(image, turned) for turned in wrong)


def _shifted(image: torch.Tensor, weight: torch.Tensor, down: int, right: int) -> torch.Tensor:
    """The filter centred that many pixels further down and to the right, zeros outside of the picture."""
    import torch

    size, (height, width) = weight.shape[0], image.shape[1:]
    padded = torch.nn.functional.pad(image[:, None], (2 * size,) * 4)
    top, left = 2 * size - size // 2 + down, 2 * size - size // 2 + right
    window = padded[:, :, top : top + height + size - 1, left : left + width + size - 1]
    return torch.nn.functional.conv2d(window, weight[None, None])[:, 0]


def _off_centre(evidence: Evidence) -> bool:
    image, weight = _doubles(evidence)
    reach = range(-(weight.shape[0] // 2) - 1, weight.shape[0] // 2 + 2)
    moves = [(down, right) for down in reach for right in reach if (down, right) != (0, 0)]
    return evidence.values_only and any(evidence.equals(_shifted(image, weight, *move)) for move in moves)


def _part_of_the_sum(evidence: Evidence) -> bool:
    """Only one weight, or one row of weights, is in the result."""
    import torch

    image, weight = _doubles(evidence)
    size = weight.shape[0]
    last = torch.zeros_like(weight)
    last[-1, -1] = weight[-1, -1]
    row, column = torch.zeros_like(weight), torch.zeros_like(weight)
    row[-1], column[:, -1] = weight[-1], weight[:, -1]
    return evidence.values_only and size > 1 and any(evidence.equals_reference(image, w) for w in (last, row, column))


def _one_channel_for_all(evidence: Evidence) -> bool:
    image, weight = _doubles(evidence)
    return evidence.values_only and evidence.equals_reference(image[:1].expand_as(image), weight)


def _channels_left_out(evidence: Evidence) -> bool:
    """Of several channels one at most is written, and of those programs there are enough."""
    channels = evidence.expected.shape[0]
    unwritten_channels = int(evidence.unwritten.flatten(1).all(dim=1).sum())
    enough = bool(evidence.grid) and evidence.grid[0] >= channels
    return unwritten(evidence) and enough and channels > 1 and unwritten_channels == channels - 1


def _channels_meet(evidence: Evidence) -> bool:
    """Programs of different channels store to the same pixels, and the kernel's offsets know no channel."""
    fault = evidence.fault
    if evidence.kind is not Kind.RACE or fault is None or fault.other is None or len(fault.program) < 3:
        return False
    return fault.program[1:] == fault.other[1:] and not _channel_step_is_wrong(evidence)


def _channel_step_is_wrong(evidence: Evidence) -> bool:
    """A channel's start is computed, and no product of height and width is in it."""
    stores = [evidence.source.text_of(call.args[0]) for call in evidence.source.calls("store") if call.args]
    text = " ; ".join(stores)
    whole = any(part in text for part in ("height * width", "width * height"))
    return "channel *" in text and not whole


def _pictures_rows_overlap(evidence: Evidence) -> bool:
    kinds = (Kind.RACE, Kind.OUT_OF_BOUNDS_LOAD, Kind.OUT_OF_BOUNDS_STORE, Kind.UNWRITTEN, Kind.WRONG_VALUES)
    text = " ; ".join(
        evidence.source.text_of(call.args[0])
        for name in ("load", "store")
        for call in evidence.source.calls(name)
        if call.args
    )
    by_height = any(part in text for part in ("rows[:, None] * height", "height * rows[:, None]"))
    return evidence.kind in kinds and (by_height or _channel_step_is_wrong(evidence))


def _edge_too_strict(evidence: Evidence) -> bool:
    """The answer for a picture whose first, or last, row and column are black."""
    image, weight = _doubles(evidence)
    wrong = []
    for rows, columns in ((0, 0), (-1, -1), (0, None), (None, 0), (-1, None), (None, -1)):
        darkened = image.clone()
        if rows is not None:
            darkened[:, rows] = 0.0
        if columns is not None:
            darkened[:, :, columns] = 0.0
        wrong.append(darkened)
    return evidence.values_only and any(evidence.equals_reference(picture, weight) for picture in wrong)


def _weights_outside(evidence: Evidence) -> bool:
    return outside_load(evidence) and evidence.fault is not None and evidence.fault.argument == "conv_kernel_ptr"


def _size_is_a_number(evidence: Evidence) -> bool:
    """The loops count to a number that stands in the source: right for one filter only."""
    loops = [call for name in ("static_range", "range") for call in evidence.source.calls(name)]
    fixed = any(evidence.source.text_of(call.args[-1]).isdecimal() for call in loops if call.args)
    return fixed and (out_of_bounds(evidence) or evidence.values_only)


def _masked_as_the_output(evidence: Evidence) -> bool:
    """The mask of the load looks at the output's rows, not at those that are read."""
    return outside_load(evidence) and "input_rows" not in (mask_at_fault(evidence) or "input_rows")


MISTAKES = (
    Mistake(
        "filter-flipped",
        (
            "Which pixel does weight (0, 0) belong to: the one above and to the left, or the one below and to the "
            "right?",
            "The filter lies on the picture as it is, not turned: weight (i, j) belongs to row y + i - k // 2, column "
            "x + j - k // 2.",
        ),
        _flipped,
        todo=4,
        blames=_line_of_the_flip,
    ),
    Mistake(
        "weight-index",
        (
            "Which weight lies at offset 1 in memory: (0, 1) or (1, 0)?",
            "The filter lies row by row: weight (i, j) is at i * kernel_size + j.",
        ),
        _transposed,
        todo=8,
        blames=at("weight"),
    ),
    Mistake(
        "filter-off-centre",
        (
            "Over which pixel does the filter's middle lie?",
            "The picture has moved. The middle weight, kernel_size // 2, belongs to the output's own pixel: subtract "
            "it from i and from j, whatever the filter's size.",
        ),
        _off_centre,
        todo=4,
        blames=at("input_rows"),
    ),
    Mistake(
        "accumulator-overwritten",
        (
            "What is left of the first weights' shares when the loops have ended?",
            "Only the last ones are in the result. Each share is added, `accumulator +=`; it starts before the loops.",
        ),
        _part_of_the_sum,
        todo=8,
        blames=lambda evidence: max(evidence.source.assignments("accumulator"), default=None),
    ),
    Mistake(
        "channel-forgotten",
        (
            "From which channel does program (2, 0, 0) load?",
            "All channels came out as the first. Each starts height * width elements after the one before: "
            "channel_start belongs in the offsets of the load.",
        ),
        _one_channel_for_all,
        todo=3,
        blames=at("offsets", "pixels"),
    ),
    Mistake(
        "mask-too-strict",
        (
            "Which is the picture's first row, and does the mask let it through?",
            "Row 0 and column 0 belong to the picture, and so do the last ones: `>= 0`, `< height`, `< width`.",
        ),
        _edge_too_strict,
        todo=6,
        blames=at("row_mask", "mask"),
    ),
)
CHANNELS = (
    Mistake(
        "channel-forgotten",
        (
            "Where in the output does program (2, 0, 0) store?",
            "One channel was written, the others were not. Each starts height * width elements after the one before.",
        ),
        _channels_left_out,
        todo=3,
        blames=at("channel_start"),
    ),
    Mistake(
        "channel-forgotten",
        (
            "Where in the output do programs (0, 0, 0) and (1, 0, 0) store?",
            "Programs of different channels store to the same pixels: channel_start belongs in the offsets of the "
            "store.",
        ),
        _channels_meet,
        todo=3,
    ),
    Mistake(
        "wrong-stride",
        (
            "How many elements lie between two rows, and how many between two channels?",
            "A row is width elements long, a channel height * width.",
        ),
        _pictures_rows_overlap,
        todo=3,
        blames=at("channel_start"),
    ),
)
WEIGHTS = (
    Mistake(
        "hard-coded-size",
        (
            "What does this kernel do with a filter of 1 × 1?",
            "A loop counts to a fixed number. The filter's size is kernel_size.",
        ),
        _size_is_a_number,
        todo=GIVEN,
    ),
    Mistake(
        "weight-index",
        (
            "How many weights has the filter, and at which offset does weight (i, j) lie?",
            "The filter has kernel_size weights a row: weight (i, j) is at i * kernel_size + j.",
        ),
        _weights_outside,
        todo=8,
    ),
)
EDGES = (
    Mistake(
        "mask-wrong-bound",
        (
            "Which rows does this line load, and which does its mask look at?",
            "The mask is the output's. The pixels under the filter lie further up or down: compare input_rows and "
            "input_cols.",
        ),
        _masked_as_the_output,
        todo=6,
    ),
)

EXERCISE = Exercise(
    number=3,
    title="a filter over a picture",
    launcher="conv2d",
    kernel="conv2d_kernel",
    # 1 × 1 tests the indices alone; a picture smaller than its filter tests the zeros around it.
    cases=(
        _case(3, 5, 3, 3),
        _case(3, 5, 3, 1),
        _case(3, 2, 1, 5),
        _case(1, 16, 16, 3),
        _case(1, 15, 17, 3),
        _case(3, 17, 33, 3),
        _case(3, 17, 33, 3, ", other values"),
        _case(2, 33, 19, 5),
    ),
    gpu_cases=(_case(3, 17, 33, 3), _case(3, 2160, 3840, 3), _case(3, 2160, 3840, 5)),
    reference=_reference,
    reduction_length=lambda image, weight: weight.numel(),
    tiling=(Axis(0, None), Axis(1, "BLOCK_SIZE_H", 16), Axis(2, "BLOCK_SIZE_W", 16)),
    sizes_by_name=lambda image, weight: {
        "height": image.shape[1],
        "width": image.shape[2],
        "kernel_size": weight.shape[0],
    },
    inputs_by_name={"input_ptr": 0, "conv_kernel_ptr": 1},
    bytes_moved=lambda image, weight: (2 * image.numel() + weight.numel()) * image.element_size(),
    operations=lambda image, weight: 2 * image.numel() * weight.numel(),
    hints=(
        (
            "Which rows does program pid_h own?",
            "pid_h * BLOCK_SIZE_H plus tl.arange(0, BLOCK_SIZE_H), as in exercise 2.",
        ),
        ("And which columns?", "The same along the width, from pid_w."),
        (
            "How many elements lie before the first pixel of channel 2?",
            "Each channel before this one took height * width elements.",
        ),
        (
            "For a 3 × 3 filter, which rows does output row 5 need?",
            "Weight (i, j) belongs to the pixel i - kernel_size // 2 rows below the output pixel: for 3 × 3 -1, 0 and "
            "1.",
        ),
        ("Which columns go with weight (i, j)?", "As for the rows, with j."),
        (
            "On which sides can the filter stick out of the picture?",
            "On all four: rows and columns can be negative too. Four comparisons, joined with &. rows[:, None] and "
            "cols[None, :] make the mask 2-D.",
        ),
        (
            "Where do the pixels lie, and what counts for those that do not exist?",
            "At input_rows and input_cols of this channel. Count channel_start once, and let other=0.0 stand outside.",
        ),
        (
            "Where in the filter does weight (i, j) lie, and what does it add to each pixel of the tile?",
            "The filter has kernel_size values per row, so weight (i, j) lies at i * kernel_size + j. Each pixel of "
            "the accumulator gets its own pixel times that weight.",
        ),
        (
            "Which offsets and which mask go with the output?",
            "output_offsets and output_mask are given; the accumulator holds the values.",
        ),
        (
            "Which three program ids does the kernel ask for, in which order?",
            "Three axes, the channel first: (channels, tiles along the height, tiles along the width), by cdiv.",
        ),
        (
            "Which arguments does conv2d_kernel declare, in which order?",
            "Image, output and filter; height, width and the filter's size; then the two block sizes.",
        ),
    ),
    todos_for={
        "offsets": (1, 2, 3, 4, 5, 7, 8),
        "mask": (6, 7, 9),
        "load": (7, 8),
        "sum": (8,),
        "store": (9,),
        "grid": (10,),
        "launch": (11,),
        "blocks": (10, 11),
    },
    mistakes=(*TENSORS, *WEIGHTS, *PATTERN_OF_TILES, *CHANNELS, *MISTAKES, *EDGES, *MASKS, *LAST),
    picture=Case("the picture", lambda device: (image := small_picture(device), image.new_tensor(SOBEL_X))),
    showing=Showing("the picture, Sobel along y, Sobel along x", _show),
)
