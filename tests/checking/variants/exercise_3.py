"""Ways to slide a filter over an image."""

NAMES = (
    "input_ptr:image_ptr ksize:SIZE in_rows:input_rows in_cols:input_cols acc:accumulator BLOCK_H:BLOCK_SIZE_H "
    "BLOCK_W:BLOCK_SIZE_W",
    "input_ptr:x_ptr output_ptr:y_ptr weight_ptr:w_ptr height:H width:W ksize:K BLOCK_H:BH BLOCK_W:BW rows:oh cols:ow "
    "acc:s",
    "input_ptr:img output_ptr:out weight_ptr:filt rows:offs_h cols:offs_w in_rows:ih in_cols:iw acc:accumulator "
    "pixels:v BLOCK_H:BLOCK_SIZE_H BLOCK_W:BLOCK_SIZE_W mask:inside channel:c",
    "input_ptr:in_ptr0 weight_ptr:in_ptr1 output_ptr:out_ptr0 conv2d_kernel:triton_conv2d rows:y cols:x in_rows:src_y "
    "in_cols:src_x mask:m ksize:kernel_size BLOCK:XBLOCK",
    "input_ptr:picture_pointer output_ptr:result_pointer weight_ptr:filter_pointer ksize:side acc:total tap:factor "
    "conv2d_kernel:slide_filter BLOCK_H:TILE_HEIGHT BLOCK_W:TILE_WIDTH output:result",
)

TABLE = r"""
== $pids: channel = tl.program_id(<<@axes 0 || 2 || 2>>)<<@cast || .to(tl.int64)>>
pid_h = tl.program_id(axis=<<@axes 1 || 1 || 0>>)<<@cast || .to(tl.int64)>>
pid_w = tl.program_id(<<@axes 2 || 0 || 1>>)<<@cast || .to(tl.int64)>>
== $R: <<@shape rows[:, None] || rows>>
== $C: <<@shape cols[None, :] || cols>>
== $IR: <<@shape in_rows[:, None] || in_rows>>
== $IC: <<@shape in_cols[None, :] || in_cols>>
== $vectors: <<@shape rows = pid_h * BLOCK_H + tl.arange(0, BLOCK_H)\ncols = pid_w * BLOCK_W + tl.arange(0, BLOCK_W) ||
cols = tl.arange(0, BLOCK_W)[None, :] + pid_w * BLOCK_W\nrows = (tl.arange(0, BLOCK_H) + pid_h * BLOCK_H)[:, None]>>
== $start: start = channel * height * width
== $zeros: acc = <<tl.zeros((BLOCK_H, BLOCK_W), dtype=tl.float32) || tl.full((BLOCK_H, BLOCK_W), 0.0, tl.float32) ||
tl.zeros([BLOCK_H, BLOCK_W], tl.float32)>>
== $centred: in_rows = <<rows + i - ksize // 2 || rows + (i - ksize // 2) || rows - ksize // 2 + i ||
i + rows - (ksize - 1) // 2>>
in_cols = <<cols + j - ksize // 2 || cols + (j - ksize // 2) || cols - (ksize // 2 - j)>>
== $inside: <<mask = ($IR >= 0) & ($IR < height) & ($IC >= 0) & ($IC < width) || $row_and_column ||
mask = ~(($IR < 0) | ($IR >= height) | ($IC < 0) | ($IC >= width)) ||
mask = $IR >= 0 and $IR < height and $IC >= 0 and $IC < width>>
== $row_and_column: row_ok = (in_rows > -1) & (in_rows < height)
col_ok = (in_cols > -1) & (in_cols < width)
mask = <<@shape row_ok[:, None] & col_ok[None, :] || row_ok & col_ok>>
== $pixels: <<pixels = tl.load(input_ptr + offsets, mask=mask, other=0.0) ||
pixels = tl.load(input_ptr + offsets, mask, 0.0) || pixels = tl.load(input_ptr + offsets, mask=mask, other=0) ||
pixels = tl.where(mask, tl.load(input_ptr + tl.where(mask, offsets, 0)), 0.0) ||
pixels = tl.load(input_ptr + offsets * mask) * mask.to(tl.float32) ||
pixels = tl.where(mask, tl.load(input_ptr + offsets, mask=mask), 0)>>
== $tap: $centred
$inside
offsets = <<start + $IR * width + $IC || $IC + $IR * width + start || start + ($IR * width + $IC)>>
$pixels
$add
== $add: tap = tl.load(weight_ptr + <<i * ksize + j || (j + i * ksize)>>)
<<acc += pixels * tap || acc = acc + tap * pixels || acc = tl.fma(pixels, tap, acc)>>
== $loops: <<@known for i in tl.static_range(ksize): || for i in range(ksize): || for i in tl.range(0, ksize): ||
for i in tl.static_range(0, ksize):>>
== $loops_j: <<@known for j in tl.static_range(ksize): || for j in range(0, ksize): || for j in range(ksize): ||
for j in range(ksize):>>
== $size: ksize<<@known : tl.constexpr || || : tl.constexpr || : tl.constexpr>>
== $sum: $zeros
$loops
    $loops_j
        $tap
== $store: output_ptrs = output_ptr + start + $R * width + $C
tl.store(output_ptrs, acc, <<mask=($R < height) & ($C < width) || ($C < width) & ($R < height)>>)
== $work: $start
$sum
$store
== $params: <<@order input_ptr, output_ptr, weight_ptr, height, width ||
input_ptr, weight_ptr, output_ptr, height, width ||
height, width, input_ptr, output_ptr, weight_ptr>>
== $args: <<@order image, output, weight, height, width || image, weight, output, height, width ||
height, width, image, output, weight>>
== $signature: def conv2d_kernel($params, $size, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
== $kernel: @triton.jit
$signature
== $def: def conv2d(<<image: torch.Tensor, weight: torch.Tensor) -> torch.Tensor || image, weight)>>:
    <<check_tensors_gpu_ready(image, weight, shapes="c height width, k k", dtype=torch.float32) ||
    assert image.is_contiguous() and len(weight) == weight.shape[1] ||
    image, weight = image.contiguous(), weight.contiguous() || >>
    <<channels, height, width = image.shape || channels, (height, width) = image.size(0), image.shape[1:]>>
    ksize = <<weight.shape[0] || weight.size(-1) || len(weight)>>
== $begin: $def
    output = <<@make torch.empty_like(image) || torch.zeros_like(image) ||
    torch.empty(image.shape, device=image.device) ||
    image.new_empty((channels, height, width)) || torch.full_like(image, float("nan")) || image.clone() ||
    torch.empty(image.shape, dtype=torch.float64, device=DEVICE) ||
    torch.empty((channels + 1, height, width), device=DEVICE)>>
== $return: return <<@make output || output || output || output || output || output ||
output.float() || output[:channels]>>
== $block: BLOCK_H, BLOCK_W = <<16, 16 || 8, 32 || 32, 8 || 4, 64 || 16, 64>>
== $tiles: <<tall, wide = cdiv(height, BLOCK_H), cdiv(width, BLOCK_W) ||
tall, wide = triton.cdiv(height, BLOCK_H), triton.cdiv(width, BLOCK_W) ||
tall = (height + BLOCK_H - 1) // BLOCK_H\nwide = (width + BLOCK_W - 1) // BLOCK_W ||
tall, wide = tl.cdiv(height, BLOCK_H), -(-width // BLOCK_W)>>
== $shape: <<@axes (channels, tall, wide) || (wide, tall, channels) || (tall, wide, channels)>>
== $meta: grid = lambda meta: <<@axes (channels, cdiv(height, meta["BLOCK_H"]), cdiv(width, meta["BLOCK_W"])) ||
(triton.cdiv(width, meta["BLOCK_W"]), triton.cdiv(height, meta["BLOCK_H"]), channels) ||
(cdiv(height, meta["BLOCK_H"]), triton.cdiv(width, meta["BLOCK_W"]), channels)>>
== $grid: <<$tiles\ngrid = $shape || $meta>>
== $launch: <<conv2d_kernel[grid]($args, ksize, BLOCK_H, BLOCK_W) ||
conv2d_kernel[grid]($args, ksize=ksize, BLOCK_W=BLOCK_W, BLOCK_H=BLOCK_H) ||
conv2d_kernel[grid]($args, ksize, BLOCK_H=BLOCK_H, BLOCK_W=BLOCK_W, num_warps=2) ||
$launch_by_name>>
== $launch_by_name: sizes = {"height": height, "width": width, "ksize": ksize, "BLOCK_H": BLOCK_H, "BLOCK_W": BLOCK_W}
conv2d_kernel[grid](input_ptr=image, output_ptr=output, weight_ptr=weight, **sizes)
== $end: $launch
$return
== $launcher: $begin
    $block
    $grid
    $end
== tiles: $kernel
    $pids
    $vectors
    $work
== as_taught: $kernel
    channel = tl.program_id(axis=<<@axes 0 || 2 || 2>>)
    rows = tl.program_id(axis=<<@axes 1 || 1 || 0>>) * BLOCK_H + tl.arange(0, BLOCK_H)
    cols = tl.program_id(axis=<<@axes 2 || 0 || 1>>) * BLOCK_W + tl.arange(0, BLOCK_W)
    $start
    $zeros
    $loops
        $loops_j
            in_rows = rows[:, None] + i - ksize // 2
            in_cols = cols[None, :] + j - ksize // 2
            mask = (in_rows >= 0) & (in_rows < height) & (in_cols >= 0) & (in_cols < width)
            offsets = start + in_rows * width + in_cols
            $pixels
            $add
    output_mask = (rows[:, None] < height) & (cols[None, :] < width)
    tl.store(output_ptr + start + rows[:, None] * width + cols[None, :], acc, mask=output_mask)
== last_weight_first: $kernel
    $pids
    $vectors
    $start
    $zeros
    $loops
        $loops_j
            <<in_rows = rows - i + ksize // 2\nin_cols = cols - j + ksize // 2 || $mirrored>>
            $inside
            offsets = start + $IR * width + $IC
            $pixels
            acc += pixels * tl.load(weight_ptr + ksize * ksize - 1 - (i * ksize + j))
    $store
== $mirrored: in_rows, in_cols = rows + (ksize // 2 - i), cols + (ksize // 2 - j)
== one_loop: $kernel
    $pids
    $vectors
    $start
    $zeros
    <<@loop tap_number = 0\nwhile tap_number < ksize * ksize: || for tap_number in range(ksize * ksize):>>
        i, j = tap_number // ksize, tap_number % ksize
        $tap
        <<@loop tap_number += 1 || >>
    $store
== two_while_loops: $kernel
    $pids
    $vectors
    $start
    $zeros
    i = 0
    while i < ksize:
        j = <<0 || i * 0>>
        while j < ksize:
            $tap
            j += 1
        i += 1
    $store
== helpers: @triton.jit
def fetch(input_ptr, in_rows, in_cols, height, width):
    mask = ($IR >= 0) & ($IR < height) & ($IC >= 0) & ($IC < width)
    return tl.load(input_ptr + $IR * width + $IC, <<mask=mask, other=0.0 || mask, 0>>)

@triton.jit
def shifted(positions, index, ksize):
    return positions + index - ksize // 2

$kernel
    $pids
    $vectors
    input_ptr += channel * height * width
    output_ptr += channel * height * width
    start = 0
    $zeros
    $loops
        $loops_j
            pixels = fetch(input_ptr, shifted(rows, i, ksize), shifted(cols, j, ksize), height, width)
            $add
    $store
== rows_of_the_picture: @triton.jit
def conv2d_kernel($params, $size, BLOCK: tl.constexpr):
    channel, row = tl.program_id(0) // height, tl.program_id(0) % height
    for first in range(0, width, BLOCK):
        cols = first + tl.arange(0, BLOCK)
        acc = tl.zeros(<<(BLOCK,) || [BLOCK]>>, tl.float32)
        $loops
            in_row = row + i - ksize // 2
            if <<(in_row >= 0) & (in_row < height) || in_row >= 0 and in_row < height>>:
                line = input_ptr + (channel * height + in_row) * width
                $loops_j
                    in_cols = cols + j - ksize // 2
                    pixels = tl.load(line + in_cols, mask=(in_cols >= 0) & (in_cols < width), other=0.0)
                    $add
        tl.store(output_ptr + (channel * height + row) * width + cols, acc, <<mask=cols < width || cols < width>>)
$begin
    conv2d_kernel[(channels * height,)]($args, ksize, BLOCK=<<32 || 64 || 128>>)
    $return
== whole_filter: @triton.jit
def conv2d_kernel($params, ksize, TAPS: tl.constexpr, BLOCK: tl.constexpr):
    here, taps = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, TAPS)
    weights = tl.load(weight_ptr + taps, mask=taps < ksize * ksize, other=0.0)
    rows = (here // width)[:, None] + (taps // ksize)[None, :] - ksize // 2
    cols = (here % width)[:, None] + (taps % ksize)[None, :] - ksize // 2
    mask = (rows >= 0) & (rows < height) & (cols >= 0) & (cols < width)
    channel = tl.program_id(1) * height * width
    pixels = tl.load(input_ptr + channel + rows * width + cols, mask=mask, other=0.0)
    acc = $weighed
    tl.store(output_ptr + channel + here, acc, <<mask=here < height * width || here < height * width>>)
$begin
    grid = (<<cdiv || triton.cdiv>>(height * width, 64), channels)
    conv2d_kernel[grid]($args, ksize, TAPS=$taps, BLOCK=64)
    $return
== $taps: <<triton.next_power_of_2(ksize * ksize) || triton.next_power_of_2(weight.numel())>>
== $weighed: tl.sum(<<pixels * weights[None, :] || weights[None, :] * pixels>>, <<axis=1 || 1>>)
== dot_with_the_filter: @triton.jit
def conv2d_kernel($params, ksize, TAPS: tl.constexpr, BLOCK: tl.constexpr):
    here, taps = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, TAPS)
    weights = tl.load(weight_ptr + taps, mask=taps < ksize * ksize, other=0.0)
    in_rows = (here // width)[:, None] + (taps // ksize)[None, :] - ksize // 2
    in_cols = (here % width)[:, None] + (taps % ksize)[None, :] - ksize // 2
    mask = (in_rows >= 0) & (in_rows < height) & (in_cols >= 0) & (in_cols < width)
    channel = tl.program_id(1) * height * width
    pixels = tl.load(input_ptr + channel + in_rows * width + in_cols, mask=mask, other=0.0)
    first = tl.where(tl.arange(0, 16)[None, :] == 0, weights[:, None], 0.0)
    acc = tl.sum(tl.dot(pixels, first, input_precision="ieee"), axis=1)
    tl.store(output_ptr + channel + here, acc, mask=here < height * width)
$begin
    grid = (<<cdiv || triton.cdiv>>(height * width, 32), channels)
    conv2d_kernel[grid]($args, ksize, TAPS=max(16, $taps), BLOCK=32)
    $return
== padded: @triton.jit
$signature
    $pids
    $vectors
    $start
    row_length = width + ksize - 1
    input_ptr += channel * (height + ksize - 1) * row_length
    $zeros
    mask = ($R < height) & ($C < width)
    $loops
        $loops_j
            pixels = tl.load(input_ptr + ($R + i) * row_length + $C + j, <<mask=mask || mask || mask=mask, other=0.0>>)
            $add
    tl.store(output_ptr + start + $R * width + $C, acc, mask=mask)
$begin
    border = ksize // 2
    <<image = torch.nn.functional.pad(image, (border, border, border, border)) || $bordered ||
    image = torch.nn.functional.pad(image, [border] * 4, "constant", 0.0)>>
    $block
    $tiles
    grid = $shape
    $end
== $bordered: padded = image.new_zeros((channels, height + 2 * border, width + 2 * border))
padded[:, border : border + height, border : border + width] = image
image = padded
== windows_by_strides: @triton.jit
def conv2d_kernel(input_ptr, output_ptr, weight_ptr, height, width, ksize, sc, sh, sw, si, sj, BLOCK: tl.constexpr):
    here, channel = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.program_id(1)
    mask = here < height * width
    acc = tl.zeros((BLOCK,), tl.float32)
    windows = input_ptr + channel * sc + here // width * sh + here % width * sw
    for i in range(ksize):
        for j in range(ksize):
            pixels = tl.load(windows + i * si + j * sj, <<mask=mask || mask, 0.0>>)
            $add
    tl.store(output_ptr + channel * height * width + here, acc, mask=mask)
$begin
    border = ksize // 2
    windows = torch.nn.functional.pad(image, [border] * 4).unfold(1, ksize, 1).unfold(2, ksize, 1)
    grid = (cdiv(height * width, <<@size 128 || 256>>), channels)
    conv2d_kernel[grid](windows, output, weight, height, width, ksize, *windows.stride(), BLOCK=<<@size 128 || 256>>)
    $return
== launch_per_channel: $kernel
    pid_h, pid_w = tl.program_id(0), tl.program_id(1)
    $vectors
    start = 0
    $sum
    $store
$def
    output = <<torch.empty_like(image) || torch.zeros_like(image)>>
    $block
    $tiles
    for channel in range(channels):
        conv2d_kernel[(tall, wide)](
            input_ptr=image[channel], output_ptr=output[channel], weight_ptr=weight, height=height, width=width,
            ksize=ksize, BLOCK_H=BLOCK_H, BLOCK_W=BLOCK_W,
        )
    return output
== channels_in_the_kernel: @triton.jit
def conv2d_kernel($params, channels, $size, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    pid_h, pid_w = tl.program_id(0), tl.program_id(1)
    $vectors
    for channel in <<range(channels) || tl.range(channels)>>:
        $work
$begin
    $block
    $tiles
    conv2d_kernel[(tall, wide)]($args, channels, ksize, BLOCK_H, BLOCK_W=BLOCK_W)
    $return
== persistent: @triton.jit
def conv2d_kernel($params, channels, $size, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    tall, wide = tl.cdiv(height, BLOCK_H), tl.cdiv(width, BLOCK_W)
    for tile in <<range || tl.range>>(tl.program_id(0), channels * tall * wide, tl.num_programs(0)):
        channel, pid_h, pid_w = tile // (tall * wide), tile // wide % tall, tile % wide
        $vectors
        $work
$begin
    $block
    conv2d_kernel[(<<5 || 16>>,)]($args, channels, ksize, BLOCK_H, BLOCK_W)
    $return
== tiles_in_a_row: $kernel
    tile, wide = tl.program_id(0), tl.cdiv(width, BLOCK_W)
    tiles = <<wide * tl.cdiv(height, BLOCK_H) || tl.cdiv(height, BLOCK_H) * wide>>
    channel, pid_h, pid_w = tile // tiles, tile % tiles // wide, tile % tiles % wide
    $vectors
    $work
$begin
    $block
    $tiles
    grid = (channels * tall * wide,)
    $end
== pixels_in_one_line: @triton.jit
def conv2d_kernel($params, $size, BLOCK: tl.constexpr):
    here = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    rows, cols = here // width, here % width
    acc = tl.zeros((BLOCK,), tl.float32)
    $loops
        $loops_j
            $centred
            mask = (in_rows >= 0) & (in_rows < height) & (in_cols >= 0) & (in_cols < width)
            offsets = tl.program_id(1) * height * width + in_rows * width + in_cols
            $pixels
            $add
    tl.store(output_ptr + tl.program_id(1) * height * width + here, acc, mask=here < height * width)
$begin
    conv2d_kernel[(<<@ceiling cdiv || triton.cdiv>>(height * width, 256), channels)]($args, ksize, BLOCK=256)
    $return
== launch_per_tap: @triton.jit
def conv2d_kernel(input_ptr, output_ptr, weight_ptr, n, height, width, i, j, ksize, BLOCK: tl.constexpr):
    here = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    in_rows, in_cols = here // width % height + i - ksize // 2, here % width + j - ksize // 2
    mask = (here < n) & (in_rows >= 0) & (in_rows < height) & (in_cols >= 0) & (in_cols < width)
    offsets = here // (height * width) * height * width + in_rows * width + in_cols
    acc = tl.load(output_ptr + here, mask=mask<< || , other=0.0>>)
    $pixels
    $add
    tl.store(output_ptr + here, acc, mask=mask)
$def
    output = <<torch.zeros_like(image) || torch.zeros(image.shape, device=DEVICE) || image.new_zeros(image.shape)>>
    for i in range(ksize):
        for j in range(ksize):
            grid = (triton.cdiv(image.numel(), 1024),)
            conv2d_kernel[grid](image, output, weight, image.numel(), height, width, i, j, ksize, BLOCK=1024)
    return output
== strides: @triton.jit
def conv2d_kernel(input_ptr, output_ptr, weight_ptr, height, width, s_c, s_h, s_w, s_i, s_j, $size,
                  BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    $pids
    $vectors
    $zeros
    $loops
        $loops_j
            $centred
            $inside
            offsets = channel * s_c + $IR * s_h + $IC * s_w
            $pixels
            acc += pixels * tl.load(weight_ptr + i * s_i + j * s_j)
    offsets = channel * s_c + $R * s_h + $C * s_w
    tl.store(output_ptr + offsets, acc, <<mask=($R < height) & ($C < width) || ($R < height) & ($C < width)>>)
$def
    output = <<torch.empty_like(image) || torch.zeros_like(image)>>
    $block
    $tiles
    grid = $shape
    conv2d_kernel[grid](
        image, output, weight, height, width, *image.stride(), *weight.stride(), ksize, BLOCK_H, BLOCK_W
    )
    return output
== autotuned: @triton.autotune(
    [triton.Config({"BLOCK_H": size, "BLOCK_W": 32}) for size in <<(8, 16) || (4, 32)>>], key=["height", "width"]
)
$kernel
    $pids
    $vectors
    $work
$begin
    $meta
    conv2d_kernel[grid]($args, ksize)
    $return
== heuristics: @triton.heuristics({
    "BLOCK_W": lambda args: min(<<64 || 32>>, triton.next_power_of_2(args["width"])),
    "HALF": lambda args: args["ksize"] // 2,
})
@triton.jit
def conv2d_kernel($params, $size, HALF: tl.constexpr, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    $pids
    $vectors
    $start
    $zeros
    for i in <<tl.static_range(-HALF, HALF + 1) || range(-HALF, HALF + 1)>>:
        for j in <<tl.static_range(-HALF, HALF + 1) || range(-HALF, HALF + 1)>>:
            in_rows, in_cols = rows + i, cols + j
            $inside
            offsets = start + $IR * width + $IC
            $pixels
            acc += pixels * tl.load(weight_ptr + (i + HALF) * ksize + j + HALF)
    $store
$begin
    $meta
    conv2d_kernel[grid]($args, ksize=ksize, BLOCK_H=<<8 || 16>>)
    $return
== descriptors: from triton.tools.tensor_descriptor import TensorDescriptor

@triton.jit
def conv2d_kernel(input_ptr, out_desc, weight_ptr, height, width, $size, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    channel, pid_h, pid_w = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    $vectors
    $start
    $sum
    out_desc.store([channel, pid_h * BLOCK_H, pid_w * BLOCK_W], acc[None, :, :])
$def
    output = torch.<<empty || zeros>>((channels, height, cdiv(width, 4) * 4), device=image.device)
    BLOCK_H, BLOCK_W = <<16, 16 || 8, 32>>
    $tiles
    out_desc = TensorDescriptor.from_tensor(output, [1, BLOCK_H, BLOCK_W])
    conv2d_kernel[(channels, tall, wide)](image, out_desc, weight, height, width, ksize, BLOCK_H, BLOCK_W)
    return output[:, :, :width]
"""
