"""Mistakes in exercise 2, which turns a picture sepia."""

from __future__ import annotations

from . import Mistake

_LOADS = """\
    red = tl.load(x_ptr + offsets, mask=mask)
    green = tl.load(x_ptr + channel + offsets, mask=mask)
    blue = tl.load(x_ptr + 2 * channel + offsets, mask=mask)
"""
_SUMS = """\
    sepia_red = tl.minimum(0.393 * red + 0.769 * green + 0.189 * blue, 1.0)
    sepia_green = tl.minimum(0.349 * red + 0.686 * green + 0.168 * blue, 1.0)
    sepia_blue = tl.minimum(0.272 * red + 0.534 * green + 0.131 * blue, 1.0)
"""

MISTAKES: tuple[Mistake, ...] = (
    # 1 and 2: the rows and the columns
    Mistake(
        name="rows-step-by-block-width",
        old="pid_h * BLOCK_SIZE_H + tl.arange(0, BLOCK_SIZE_H)",
        new="pid_h * BLOCK_SIZE_W + tl.arange(0, BLOCK_SIZE_H)",
        fault="A tile is BLOCK_SIZE_H rows high, so steps of BLOCK_SIZE_W leave bands of rows out.",
        finding="unwritten",
        hint="todo-1",
        blamed="rows = pid_h * BLOCK_SIZE_W + tl.arange(0, BLOCK_SIZE_H)",
    ),
    Mistake(
        name="program-ids-swapped",
        old="rows = pid_h * BLOCK_SIZE_H + tl.arange(0, BLOCK_SIZE_H)\n"
        "\n"
        "    # 2: the columns of this program's tile, a vector\n"
        "    cols = pid_w * BLOCK_SIZE_W",
        new="rows = pid_w * BLOCK_SIZE_H + tl.arange(0, BLOCK_SIZE_H)\n"
        "\n"
        "    # 2: the columns of this program's tile, a vector\n"
        "    cols = pid_h * BLOCK_SIZE_W",
        fault="pid_h counts tiles down the height and pid_w along the width, and here each is used for the other.",
        finding="unwritten",
        hint="todo-1",
        blamed="rows = pid_w * BLOCK_SIZE_H + tl.arange(0, BLOCK_SIZE_H)",
    ),
    Mistake(
        name="columns-as-many-as-rows",
        old="pid_w * BLOCK_SIZE_W + tl.arange(0, BLOCK_SIZE_W)",
        new="pid_w * BLOCK_SIZE_W + tl.arange(0, BLOCK_SIZE_H)",
        fault="The copied tl.arange still has the tile's height, so only 16 of each tile's 64 columns are computed.",
        finding="unwritten",
        hint="todo-2",
        blamed="cols = pid_w * BLOCK_SIZE_W + tl.arange(0, BLOCK_SIZE_H)",
    ),
    Mistake(
        name="tab-among-spaces",
        old="    rows = pid_h",
        new="\trows = pid_h",
        fault="This line is indented by a tab and its neighbours by spaces, which Python does not accept.",
        finding="crash",
        hint="indentation",
        blamed="rows = pid_h * BLOCK_SIZE_H + tl.arange(0, BLOCK_SIZE_H)",
    ),
    # 3: the offsets
    Mistake(
        name="row-as-long-as-height",
        old="rows[:, None] * width + cols[None, :]",
        new="rows[:, None] * height + cols[None, :]",
        fault="From one row to the next it is `width` elements, not `height`.",
        finding="out-of-bounds-load",
        hint="wrong-stride",
        blamed="offsets = rows[:, None] * height + cols[None, :]",
    ),
    Mistake(
        name="row-length-forgotten",
        old="rows[:, None] * width + cols[None, :]",
        new="rows[:, None] + cols[None, :]",
        fault="The row number is not multiplied by the width, so all rows of a tile lie one element apart.",
        finding="unwritten",
        hint="todo-3",
        blamed="offsets = rows[:, None] + cols[None, :]",
    ),
    Mistake(
        name="offsets-not-broadcast",
        old="rows[:, None] * width + cols[None, :]",
        new="rows * width + cols",
        fault="Vectors of 16 and 64 elements do not add up: rows need [:, None] and cols [None, :] for a block.",
        finding="crash",
        hint="shapes-do-not-broadcast",
        blamed="offsets = rows * width + cols",
    ),
    Mistake(
        name="pixels-interleaved",
        old="offsets = rows[:, None] * width + cols[None, :]",
        new="offsets = 3 * (rows[:, None] * width + cols[None, :])",
        fault="The channels lie one after the other here, not three values side by side for each pixel.",
        finding="out-of-bounds-load",
        hint="todo-3",
        blamed="offsets = 3 * (rows[:, None] * width + cols[None, :])",
    ),
    # 4: the mask
    Mistake(
        name="mask-without-parentheses",
        old="mask = (rows[:, None] < height) & (cols[None, :] < width)",
        new="mask = rows[:, None] < height & cols[None, :] < width",
        fault="& binds more tightly than <, so without parentheses this compares with `height & cols`.",
        finding="out-of-bounds-load",
        hint="mask-without-parentheses",
        blamed="mask = rows[:, None] < height & cols[None, :] < width",
    ),
    Mistake(
        name="mask-or",
        old="(rows[:, None] < height) & (cols[None, :] < width)",
        new="(rows[:, None] < height) | (cols[None, :] < width)",
        fault="A pixel has to be inside along both axes, but | is content with one of them.",
        finding="out-of-bounds-load",
        hint="todo-4",
        blamed="mask = (rows[:, None] < height) | (cols[None, :] < width)",
    ),
    Mistake(
        name="mask-double-ampersand",
        old="(rows[:, None] < height) & (cols[None, :] < width)",
        new="(rows[:, None] < height) && (cols[None, :] < width)",
        fault="&& is C and JavaScript; in Python it is a syntax error, and blocks are combined by a single &.",
        finding="crash",
        hint="syntax-error",
        blamed="mask = (rows[:, None] < height) && (cols[None, :] < width)",
    ),
    Mistake(
        name="mask-of-rows-only",
        old="mask = (rows[:, None] < height) & (cols[None, :] < width)",
        new="mask = rows[:, None] < height",
        fault="Nothing keeps the columns inside the width, so the last tiles run into the next row and channel.",
        finding="out-of-bounds-load",
        hint="mask-missing",
        blamed="mask = rows[:, None] < height",
    ),
    Mistake(
        name="mask-of-all-channels",
        old="mask = (rows[:, None] < height) & (cols[None, :] < width)",
        new="mask = offsets < 3 * height * width",
        fault="The offsets count pixels within one channel, so those past its end run into the next channel.",
        finding="out-of-bounds-load",
        hint="mask-missing",
        blamed="mask = offsets < 3 * height * width",
    ),
    Mistake(
        name="mask-columns-at-most-width",
        old="cols[None, :] < width",
        new="cols[None, :] <= width",
        fault="The last column is width - 1, so <= lets one column too many through.",
        finding="out-of-bounds-load",
        hint="mask-too-far",
        blamed="mask = (rows[:, None] < height) & (cols[None, :] <= width)",
    ),
    Mistake(
        name="mask-transposed",
        old="(rows[:, None] < height) & (cols[None, :] < width)",
        new="(rows[None, :] < height) & (cols[:, None] < width)",
        fault="The mask has a row for each column of the tile and so another shape than the offsets.",
        finding="crash",
        hint="shapes-do-not-broadcast",
        blamed="mask = (rows[None, :] < height) & (cols[:, None] < width)",
    ),
    # 5: the loads
    Mistake(
        name="three-from-one-load",
        old=_LOADS,
        new="    red, green, blue = tl.load(x_ptr + offsets, mask=mask)\n",
        fault="A load gives one block, here of the red channel, and not three to unpack.",
        finding="crash",
        hint="one-block-per-load",
        blamed="red, green, blue = tl.load(x_ptr + offsets, mask=mask)",
    ),
    Mistake(
        name="channel-of-a-tile",
        old="channel = tl.cast(height, tl.int64) * width",
        new="channel = BLOCK_SIZE_H * BLOCK_SIZE_W",
        fault="A channel has as many elements as the whole picture has pixels, not as many as a tile.",
        finding="out-of-bounds-load",
        hint="wrong-stride",
        blamed="channel = BLOCK_SIZE_H * BLOCK_SIZE_W",
    ),
    Mistake(
        name="blue-loaded-from-green",
        old="blue = tl.load(x_ptr + 2 * channel + offsets, mask=mask)",
        new="blue = tl.load(x_ptr + channel + offsets, mask=mask)",
        fault="Blue is the third channel, two channels on; this copied line loads green again.",
        finding="wrong-values",
        hint="channel-forgotten",
        blamed="blue = tl.load(x_ptr + channel + offsets, mask=mask)",
    ),
    Mistake(
        name="channels-in-opencv-order",
        old=_LOADS,
        new="    blue = tl.load(x_ptr + offsets, mask=mask)\n"
        "    green = tl.load(x_ptr + channel + offsets, mask=mask)\n"
        "    red = tl.load(x_ptr + 2 * channel + offsets, mask=mask)\n",
        fault="The first channel is red and the last is blue; OpenCV has them the other way round.",
        finding="wrong-values",
        hint="plane-order",
        blamed="blue = tl.load(x_ptr + offsets, mask=mask)",
    ),
    Mistake(
        name="blue-loaded-without-mask",
        old="blue = tl.load(x_ptr + 2 * channel + offsets, mask=mask)",
        new="blue = tl.load(x_ptr + 2 * channel + offsets)",
        fault="The load of blue has no mask, so the tiles at the edge read beyond the end of the picture.",
        finding="out-of-bounds-load",
        hint="mask-missing",
        blamed="blue = tl.load(x_ptr + 2 * channel + offsets)",
    ),
    Mistake(
        name="pointer-indexed-by-channel",
        old="green = tl.load(x_ptr + channel + offsets, mask=mask)",
        new="green = tl.load(x_ptr[1] + offsets, mask=mask)",
        fault="In the kernel the picture is a bare pointer that cannot be indexed: add the distance to the channel.",
        finding="crash",
        hint="brackets",
        blamed="green = tl.load(x_ptr[1] + offsets, mask=mask)",
    ),
    # 6: the sums
    Mistake(
        name="weight-digits-swapped",
        old="0.769 * green",
        new="0.796 * green",
        fault="Two digits of a weight are swapped: green counts 0.769 in the red sum.",
        finding="wrong-values",
        hint="wrong-weights",
        blamed="sepia_red = tl.minimum(0.393 * red + 0.796 * green + 0.189 * blue, 1.0)",
    ),
    Mistake(
        name="green-sum-copied-from-red",
        old="0.349 * red + 0.686 * green + 0.168 * blue",
        new="0.393 * red + 0.769 * green + 0.189 * blue",
        fault="The line was copied from the red sum and still has its weights.",
        finding="wrong-values",
        hint="wrong-weights",
        blamed="sepia_green = tl.minimum(0.393 * red + 0.769 * green + 0.189 * blue, 1.0)",
    ),
    Mistake(
        name="weights-transposed",
        old=_SUMS,
        new="    sepia_red = tl.minimum(0.393 * red + 0.349 * green + 0.272 * blue, 1.0)\n"
        "    sepia_green = tl.minimum(0.769 * red + 0.686 * green + 0.534 * blue, 1.0)\n"
        "    sepia_blue = tl.minimum(0.189 * red + 0.168 * green + 0.131 * blue, 1.0)\n",
        fault="The table of weights is read by columns, but each of its rows makes one output channel.",
        finding="wrong-values",
        hint="wrong-weights",
        blamed="sepia_red = tl.minimum(0.393 * red + 0.349 * green + 0.272 * blue, 1.0)",
    ),
    Mistake(
        name="at-most-255",
        old=_SUMS,
        new="    sepia_red = tl.minimum(0.393 * red + 0.769 * green + 0.189 * blue, 255.0)\n"
        "    sepia_green = tl.minimum(0.349 * red + 0.686 * green + 0.168 * blue, 255.0)\n"
        "    sepia_blue = tl.minimum(0.272 * red + 0.534 * green + 0.131 * blue, 255.0)\n",
        fault="The picture goes from 0 to 1 and not to 255, so bright pixels are not held at 1.0.",
        finding="wrong-values",
        hint="no-clip",
        blamed="sepia_red = tl.minimum(0.393 * red + 0.769 * green + 0.189 * blue, 255.0)",
    ),
    Mistake(
        name="only-last-term-held",
        old="tl.minimum(0.393 * red + 0.769 * green + 0.189 * blue, 1.0)",
        new="0.393 * red + 0.769 * green + tl.minimum(0.189 * blue, 1.0)",
        fault="It is the whole sum that may be at most 1.0, and tl.minimum is given its last term only.",
        finding="wrong-values",
        hint="no-clip",
        blamed="sepia_red = 0.393 * red + 0.769 * green + tl.minimum(0.189 * blue, 1.0)",
    ),
    Mistake(
        name="red-overwritten-too-early",
        old=_SUMS,
        new="    red = tl.minimum(0.393 * red + 0.769 * green + 0.189 * blue, 1.0)\n"
        "    green = tl.minimum(0.349 * red + 0.686 * green + 0.168 * blue, 1.0)\n"
        "    blue = tl.minimum(0.272 * red + 0.534 * green + 0.131 * blue, 1.0)\n"
        "    sepia_red, sepia_green, sepia_blue = red, green, blue\n",
        fault="The new red replaces the old one before green and blue have used it.",
        finding="wrong-values",
        hint="overwritten-channel",
        blamed="red = tl.minimum(0.393 * red + 0.769 * green + 0.189 * blue, 1.0)",
    ),
    Mistake(
        name="weights-without-times",
        old="0.393 * red + 0.769 * green + 0.189 * blue",
        new="0.393 red + 0.769 green + 0.189 blue",
        fault="The formula was copied from the description, and Python needs a * between a weight and its channel.",
        finding="crash",
        hint="syntax-error",
        blamed="sepia_red = tl.minimum(0.393 red + 0.769 green + 0.189 blue, 1.0)",
    ),
    Mistake(
        name="decimal-comma",
        old="0.393 * red",
        new="0,393 * red",
        fault="A comma in place of the decimal point makes two arguments out of the weight: 0 and 393 * red.",
        finding="crash",
        hint="three-values-for-two",
        blamed="sepia_red = tl.minimum(0,393 * red + 0.769 * green + 0.189 * blue, 1.0)",
    ),
    # 7: the stores
    Mistake(
        name="blue-never-stored",
        old="    tl.store(output_ptr + 2 * channel + offsets, sepia_blue, mask=mask)\n",
        new="",
        fault="The blue channel is computed and never stored, so the output has whatever was in memory there.",
        finding="unwritten",
        hint="channel-forgotten",
        blamed="",
    ),
    Mistake(
        name="blue-stored-as-loaded",
        old="tl.store(output_ptr + 2 * channel + offsets, sepia_blue, mask=mask)",
        new="tl.store(output_ptr + 2 * channel + offsets, blue, mask=mask)",
        fault="The third store writes the blue that was loaded and not its sepia.",
        finding="wrong-values",
        hint="todo-7",
        blamed="tl.store(output_ptr + 2 * channel + offsets, blue, mask=mask)",
    ),
    # Around the kernel
    Mistake(
        name="output-of-one-channel",
        old="torch.empty_like(image)",
        new="torch.empty_like(image[0])",
        fault="The output has room for a single channel, and the kernel stores three.",
        finding="out-of-bounds-store",
        hint="wrong-shape",
        blamed="output = torch.empty_like(image[0])",
    ),
    Mistake(
        name="channels-last",
        old="_, height, width = image.shape",
        new="height, width, _ = image.shape",
        fault="The channels are the first axis here and not the last, so the height is taken to be 3.",
        finding="out-of-bounds-load",
        hint="given-line",
        blamed="height, width, _ = image.shape",
    ),
    Mistake(
        name="tile-of-48-columns",
        old="BLOCK_SIZE_H, BLOCK_SIZE_W = 16, 64",
        new="BLOCK_SIZE_H, BLOCK_SIZE_W = 16, 48",
        fault="The length of a tl.arange has to be a power of two, which 48 is not.",
        finding="crash",
        hint="block-not-power-of-two",
        blamed="BLOCK_SIZE_H, BLOCK_SIZE_W = 16, 48",
    ),
    # 8: the grid
    Mistake(
        name="grid-axes-swapped",
        old="grid = (cdiv(height, BLOCK_SIZE_H), cdiv(width, BLOCK_SIZE_W))",
        new="grid = (cdiv(width, BLOCK_SIZE_W), cdiv(height, BLOCK_SIZE_H))",
        fault="The kernel takes axis 0 for the height and axis 1 for the width, and the grid has them swapped.",
        finding="unwritten",
        hint="grid-swapped",
        blamed="grid = (cdiv(width, BLOCK_SIZE_W), cdiv(height, BLOCK_SIZE_H))",
    ),
    Mistake(
        name="grid-multiplied-out",
        old="grid = (cdiv(height, BLOCK_SIZE_H), cdiv(width, BLOCK_SIZE_W))",
        new="grid = (cdiv(height, BLOCK_SIZE_H) * cdiv(width, BLOCK_SIZE_W),)",
        fault="All tiles are counted along one axis, so pid_w is always 0 and only the leftmost tiles are computed.",
        finding="unwritten",
        hint="grid-missing-axis",
        blamed="grid = (cdiv(height, BLOCK_SIZE_H) * cdiv(width, BLOCK_SIZE_W),)",
    ),
    Mistake(
        name="grid-of-floats",
        old="grid = (cdiv(height, BLOCK_SIZE_H), cdiv(width, BLOCK_SIZE_W))",
        new="grid = (height / BLOCK_SIZE_H, width / BLOCK_SIZE_W)",
        fault="The division / gives a float, and the number of programs has to be a whole number.",
        finding="crash",
        hint="grid-not-whole",
        blamed="grid = (height / BLOCK_SIZE_H, width / BLOCK_SIZE_W)",
    ),
    Mistake(
        name="grid-lambda-without-argument",
        old="grid = (cdiv(height, BLOCK_SIZE_H), cdiv(width, BLOCK_SIZE_W))",
        new="grid = lambda: (cdiv(height, BLOCK_SIZE_H), cdiv(width, BLOCK_SIZE_W))",
        fault="Triton calls a grid that is a function with the launch's arguments, and this lambda takes none.",
        finding="crash",
        hint="grid-function",
        blamed="grid = lambda: (cdiv(height, BLOCK_SIZE_H), cdiv(width, BLOCK_SIZE_W))",
    ),
    # 9: the launch
    Mistake(
        name="launched-with-width-first",
        old="(image, output, height, width, BLOCK_SIZE_H, BLOCK_SIZE_W)",
        new="(image, output, width, height, BLOCK_SIZE_H, BLOCK_SIZE_W)",
        fault="The kernel expects the height before the width, as a tensor's shape has them.",
        finding="unwritten",
        hint="argument-order",
        blamed="sepia_kernel[grid](image, output, width, height, BLOCK_SIZE_H, BLOCK_SIZE_W)",
    ),
    Mistake(
        name="launched-with-block-sizes-swapped",
        old="(image, output, height, width, BLOCK_SIZE_H, BLOCK_SIZE_W)",
        new="(image, output, height, width, BLOCK_SIZE_W, BLOCK_SIZE_H)",
        fault="The tile's height and width are passed in the wrong order, so the tiles do not fit the grid.",
        finding="unwritten",
        hint="todo-9",
        blamed="sepia_kernel[grid](image, output, height, width, BLOCK_SIZE_W, BLOCK_SIZE_H)",
    ),
    Mistake(
        name="launched-with-one-block-size",
        old="(image, output, height, width, BLOCK_SIZE_H, BLOCK_SIZE_W)",
        new="(image, output, height, width, BLOCK_SIZE=BLOCK_SIZE_W)",
        fault="The launch was copied from exercise 1; this kernel has no BLOCK_SIZE but BLOCK_SIZE_H and BLOCK_SIZE_W.",
        finding="crash",
        hint="missing-argument",
        blamed="sepia_kernel[grid](image, output, height, width, BLOCK_SIZE=BLOCK_SIZE_W)",
    ),
    Mistake(
        name="output-launched-as-input",
        old="(image, output, height, width, BLOCK_SIZE_H, BLOCK_SIZE_W)",
        new="(output, image, height, width, BLOCK_SIZE_H, BLOCK_SIZE_W)",
        fault="The kernel reads from its first argument and writes to its second, so this overwrites the picture.",
        finding="input-modified",
        hint="argument-order",
        blamed="sepia_kernel[grid](output, image, height, width, BLOCK_SIZE_H, BLOCK_SIZE_W)",
    ),
    Mistake(
        name="exit-after-launch",
        old="    sepia_kernel[grid](image, output, height, width, BLOCK_SIZE_H, BLOCK_SIZE_W)\n",
        new="    sepia_kernel[grid](image, output, height, width, BLOCK_SIZE_H, BLOCK_SIZE_W)\n    exit()\n",
        fault="An exit() from debugging was left in the launcher and ends the whole program.",
        finding="crash",
        hint="exits",
        blamed="exit()",
    ),
    # The result
    Mistake(
        name="returned-as-numpy",
        old="return output",
        new="return output.cpu().numpy()",
        fault="The launcher has to return a tensor on the same device, not a NumPy array.",
        finding="wrong-shape",
        hint="no-return",
        blamed="return output.cpu().numpy()",
    ),
)
