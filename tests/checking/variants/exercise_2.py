"""Ways to give an image the brown of old photographs."""

NAMES = (
    "x_ptr:image_ptr BLOCK_H:BLOCK_SIZE_H BLOCK_W:BLOCK_SIZE_W",
    "x_ptr:src output_ptr:dst height:H width:W BLOCK_H:BH BLOCK_W:BW rows:i cols:j offsets:at mask:m red:r green:g "
    "blue:b",
    "x_ptr:img_ptr output_ptr:out_ptr BLOCK_H:BLOCK_SIZE_M BLOCK_W:BLOCK_SIZE_N rows:offs_m cols:offs_n offsets:offs "
    "mask:in_image mixed:tone sepia_kernel:sepia_filter_kernel output:out",
    "x_ptr:input_ptr output_ptr:sepia_ptr height:h width:w rows:y cols:x offsets:pixel mask:valid plane:channel_stride "
    "red:in_r green:in_g blue:in_b sepia_kernel:_sepia_fwd BLOCK:BLOCK_SIZE output:result",
    "x_ptr:picture_pointer output_ptr:result_pointer rows:row_indices cols:column_indices mask:inside "
    "sepia_kernel:tint plane:pixels_per_channel BLOCK_H:TILE_HEIGHT BLOCK_W:TILE_WIDTH grid:tiles",
)

TABLE = r"""
== $masked: <<@masked mask=mask || mask || mask=mask, other=0.0 || mask, 0 || mask=mask, other=1.0>>
== $stored: <<@stored mask=mask || mask>>
== $R: <<@shape rows[:, None] || rows || tl.expand_dims(rows, 1) || rows>>
== $C: <<@shape cols[None, :] || cols || tl.expand_dims(cols, 0) || cols[None]>>
== $pids: pid_h = tl.program_id(<<@axes 0 || 1>>)<<@cast || .to(tl.int64)>>
pid_w = tl.program_id(axis=<<@axes 1 || 0>>)<<@cast || .to(tl.int64)>>
== $vectors: <<@shape rows = pid_h * BLOCK_H + tl.arange(0, BLOCK_H)\ncols = pid_w * BLOCK_W + tl.arange(0, BLOCK_W) ||
rows = pid_h * BLOCK_H + tl.arange(0, BLOCK_H)[:, None]\ncols = pid_w * BLOCK_W + tl.arange(0, BLOCK_W)[None, :] ||
cols = tl.arange(0, BLOCK_W) + BLOCK_W * pid_w\nrows = tl.arange(0, BLOCK_H) + BLOCK_H * pid_h ||
rows = pid_h * BLOCK_H + tl.arange(0, BLOCK_H).reshape(BLOCK_H, 1)\ncols = pid_w * BLOCK_W + tl.arange(0, BLOCK_W)>>
== $mask: mask = <<($R < height) & ($C < width) || ($C < width) & ($R < height) || $R < height and $C < width ||
(height > $R) & (width > $C) || ~(($R >= height) | ($C >= width)) || ($R <= height - 1) & ($C <= width - 1)>>
== $tile: $vectors
offsets = <<$R * width + $C || $C + $R * width || width * $R + $C>>
$mask
== $plane: plane = <<height * width || width * height || tl.cast(height, tl.int64) * width>>
== $load: <<$load_each || $load_back || $load_along>>
== $load_each: red = tl.load(x_ptr + offsets, $masked)
green = tl.load(x_ptr + plane + offsets, $masked)
blue = tl.load(x_ptr + 2 * plane + offsets, $masked)
== $load_back: blue = tl.load(x_ptr + (2 * plane + offsets), $masked)
green = tl.load(x_ptr + (offsets + plane), $masked)
red = tl.load(x_ptr + offsets, $masked)
== $load_along: pointers = x_ptr + offsets
red = tl.load(pointers, $masked)
pointers += plane
green, blue = tl.load(pointers, $masked), tl.load(pointers + plane, $masked)
== $tone_r: <<@sum 0.393 * red + 0.769 * green + 0.189 * blue || red * 0.393 + green * 0.769 + blue * 0.189 ||
tl.fma(red, 0.393, tl.fma(green, 0.769, blue * 0.189)) || 0.189 * blue + (0.769 * green + 0.393 * red)>>
== $tone_g: <<@sum 0.349 * red + 0.686 * green + 0.168 * blue || red * 0.349 + green * 0.686 + blue * 0.168 ||
tl.fma(red, 0.349, tl.fma(green, 0.686, blue * 0.168)) || 0.168 * blue + (0.686 * green + 0.349 * red)>>
== $tone_b: <<@sum 0.272 * red + 0.534 * green + 0.131 * blue || red * 0.272 + green * 0.534 + blue * 0.131 ||
tl.fma(red, 0.272, tl.fma(green, 0.534, blue * 0.131)) || 0.131 * blue + (0.534 * green + 0.272 * red)>>
== $clip: <<@clip tl.minimum(mixed, 1.0) || min(mixed, 1.0) || tl.where(mixed > 1, 1.0, mixed) ||
tl.clamp(mixed, 0.0, 1.0) || tl.where(mixed < 1.0, mixed, 1.0) || tl.minimum(1.0, mixed) || capped(mixed) ||
tl.maximum(tl.minimum(mixed, 1.0), 0.0)>>
== $helper: <<@clip || || || || || ||
@triton.jit\ndef capped(value):\n    return tl.minimum(value, 1.0)\n\n || >>
== $store: <<$store_each || $store_last || $store_along>>
== $store_each: mixed = $tone_r
tl.store(output_ptr + offsets, $clip, $stored)
mixed = $tone_g
tl.store(output_ptr + plane + offsets, $clip, $stored)
mixed = $tone_b
tl.store(output_ptr + 2 * plane + offsets, $clip, $stored)
== $store_last: new_red, new_green, new_blue = $tone_r, $tone_g, $tone_b
tl.store(output_ptr + 2 * plane + offsets, tl.minimum(new_blue, 1.0), $stored)
tl.store(output_ptr + plane + offsets, tl.minimum(new_green, 1.0), $stored)
tl.store(output_ptr + offsets, tl.minimum(new_red, 1.0), $stored)
== $store_along: pointers = output_ptr + offsets
mixed = $tone_r
tl.store(pointers, $clip, $stored)
mixed = $tone_g
tl.store(pointers + plane, $clip, $stored)
mixed = $tone_b
tl.store(pointers + 2 * plane, $clip, $stored)
== $body: $pids
$tile
$work
== $work: $plane
$load
$store
== $params: <<@order x_ptr, output_ptr, height, width || output_ptr, x_ptr, height, width ||
height, width, x_ptr, output_ptr>>
== $args: <<@order image, output, height, width || output, image, height, width || height, width, image, output>>
== $kernel: $helper@triton.jit
def sepia_kernel($params, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
== $line_kernel: $helper@triton.jit
def sepia_kernel($params, BLOCK: tl.constexpr):
== $def: def sepia(<<image: torch.Tensor) -> torch.Tensor || image: torch.Tensor) || image)>>:
    <<check_tensors_gpu_ready(image, shapes="3 height width", dtype=torch.float32) ||
    assert image.is_contiguous() and image.shape[0] == 3 || image = image.contiguous() ||
    if image.ndim != 3 or image.dtype != torch.float32:\n    raise ValueError("sepia expects a float32 image") || >>
    <<_, height, width = image.shape || height, width = image.shape[1:] ||
    height, width = image.size(1), image.size(2) || height = image.shape[-2]\nwidth = image.shape[-1]>>
== $begin: $def
    output = <<@make torch.empty_like(image) ||
    torch.empty((3, height, width), dtype=image.dtype, device=image.device) ||
    torch.zeros_like(image) || image.new_empty(image.shape) || torch.full_like(image, float("nan")) || image.clone() ||
    torch.empty(image.shape, dtype=torch.float64, device=DEVICE) ||
    torch.empty((4, height, width), device=image.device)>>
== $return: return <<@make output || output || output || output || output || output || output.float() || output[:3]>>
== $block: BLOCK_H, BLOCK_W = <<16, 64 || 32, 32 || 8, 128 || 16, 16 || 64, 16 || 4, 256>>
== $tiles: <<tall, wide = cdiv(height, BLOCK_H), cdiv(width, BLOCK_W) ||
tall = -(-height // BLOCK_H)\nwide = -(-width // BLOCK_W) ||
tall = triton.cdiv(height, BLOCK_H)\nwide = triton.cdiv(width, BLOCK_W) ||
tall, wide = (height + BLOCK_H - 1) // BLOCK_H, (width + BLOCK_W - 1) // BLOCK_W>>
== $launch: <<sepia_kernel[grid]($args, BLOCK_H, BLOCK_W) ||
sepia_kernel[grid]($args, BLOCK_H=BLOCK_H, BLOCK_W=BLOCK_W) ||
sepia_kernel[grid](x_ptr=image, output_ptr=output, width=width, height=height, BLOCK_W=BLOCK_W, BLOCK_H=BLOCK_H) ||
sepia_kernel[grid]($args, BLOCK_W=BLOCK_W, BLOCK_H=BLOCK_H, num_warps=2)>>
== $end: $launch
$return
== $grid: grid = <<$shape || lambda meta: $meta_grid>>
== $shape: <<@axes (tall, wide) || (wide, tall, 1)>>
== $shape_3: <<@axes (tall, wide, 3) || (wide, tall, 3)>>
== $usual: $block
$tiles
$grid
== $launcher: $begin
    $usual
    $end
== $line_end: BLOCK = <<128 || 256 || 512 || 1024>>
pixels = height * width
sepia_kernel[(<<cdiv(pixels, BLOCK) || triton.cdiv(pixels, BLOCK) || (pixels + BLOCK - 1) // BLOCK>>,)]($args, BLOCK)
$return
== $weights: weights = [[0.393, 0.769, 0.189], [0.349, 0.686, 0.168], [0.272, 0.534, 0.131]]
weights = torch.tensor(weights, <<device=image.device || dtype=torch.float32, device=DEVICE>>)
== $meta_grid: <<@axes (cdiv(height, meta["BLOCK_H"]), triton.cdiv(width, meta["BLOCK_W"])) ||
(triton.cdiv(width, meta["BLOCK_W"]), triton.cdiv(height, meta["BLOCK_H"]))>>
== tiles: $kernel
    $body
== as_taught: $kernel
    rows = tl.program_id(axis=<<@axes 0 || 1>>) * BLOCK_H + tl.arange(0, BLOCK_H)
    cols = tl.program_id(axis=<<@axes 1 || 0>>) * BLOCK_W + tl.arange(0, BLOCK_W)
    offsets = rows[:, None] * width + cols[None, :]
    mask = (rows[:, None] < height) & (cols[None, :] < width)
    $work
== swapped_names: $kernel
    $body
$begin
    height, width = width, height
    $block
    $tiles
    grid = $shape
    $end
== helpers: @triton.jit
def tile_of($params, pid_h, pid_w, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    $tile
    return offsets, mask
@triton.jit
def mix(red, green, blue, of_red, of_green, of_blue):
    mixed = of_red * red + of_green * green + of_blue * blue
    return tl.minimum(mixed, 1.0)
@triton.jit
def sepia_kernel($params, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    $pids
    offsets, mask = tile_of($params, pid_h, pid_w, BLOCK_H, BLOCK_W)
    $plane
    $load
    tl.store(output_ptr + offsets, mix(red, green, blue, 0.393, 0.769, 0.189), $stored)
    tl.store(output_ptr + plane + offsets, mix(red, green, blue, 0.349, 0.686, 0.168), $stored)
    tl.store(output_ptr + 2 * plane + offsets, mix(red, green, blue, 0.272, 0.534, 0.131), $stored)
== pixels_in_one_line: $line_kernel
    offsets = <<tl.program_id(0) * BLOCK + tl.arange(0, BLOCK) || tl.arange(0, BLOCK) + tl.program_id(axis=0) * BLOCK>>
    mask = <<offsets < height * width || offsets // width < height>>
    $work
$begin
    $line_end
== grid_stride: $line_kernel
    for start in <<range || tl.range>>(tl.program_id(0) * BLOCK, height * width, tl.num_programs(0) * BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        mask = offsets < height * width
        $work
$begin
    sepia_kernel[(<<4 || 9>>,)]($args, BLOCK=<<128 || 256>>)
    $return
== row_by_row: $line_kernel
    row = tl.program_id(0)
    <<@loop for start in range(0, width, BLOCK): || for step in range(tl.cdiv(width, BLOCK)): ||
    start = 0\nwhile start < width:>>
        cols = <<@loop start || step * BLOCK || start>> + tl.arange(0, BLOCK)
        mask = cols < width
        offsets = row * width + cols
        $work
        <<@loop || || start += BLOCK>>
$begin
    sepia_kernel[(height,)]($args, <<BLOCK=32 || 64 || BLOCK=triton.next_power_of_2(width)>>)
    $return
== tuples_outside: OF_RED = tl.constexpr((0.393, 0.769, 0.189))
OF_GREEN = tl.constexpr((0.349, 0.686, 0.168))
OF_BLUE = tl.constexpr((0.272, 0.534, 0.131))
@triton.jit
def put(pointers, red, green, blue, of: tl.constexpr, mask):
    mixed = of[0] * red + of[1] * green + of[2] * blue
    tl.store(pointers, <<tl.minimum(mixed, 1.0) || tl.clamp(mixed, 0.0, 1.0)>>, $stored)
@triton.jit
def sepia_kernel($params, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    $pids
    $tile
    $plane
    $load
    put(output_ptr + offsets, red, green, blue, OF_RED, mask)
    put(output_ptr + plane + offsets, red, green, blue, OF_GREEN, mask)
    put(output_ptr + 2 * plane + offsets, red, green, blue, OF_BLUE, mask)
== weights_in_a_tensor: $helper@triton.jit
def sepia_kernel(x_ptr, weights_ptr, output_ptr, height, width, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    $pids
    $tile
    $plane
    for out in <<tl.static_range(3) || range(3)>>:
        mixed = tl.zeros((BLOCK_H, BLOCK_W), dtype=tl.float32)
        for channel in <<tl.static_range(3) || range(0, 3)>>:
            mixed += tl.load(weights_ptr + 3 * out + channel) * tl.load(x_ptr + channel * plane + offsets, $masked)
        tl.store(output_ptr + out * plane + offsets, $clip, $stored)
$begin
    $weights
    $usual
    sepia_kernel[grid](image, weights, output, height, width, BLOCK_H, BLOCK_W)
    $return
== three_axes: $helper@triton.jit
def sepia_kernel(x_ptr, weights_ptr, output_ptr, height, width, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    $pids
    $tile
    out, channels, plane = tl.program_id(2), tl.arange(0, 4), height * width
    every = (channels < 3)[:, None, None] & mask[None, :, :]
    offsets_3 = channels[:, None, None] * plane + offsets[None, :, :]
    picture = tl.load(x_ptr + offsets_3, <<mask=every, other=0.0 || every, 0.0>>)
    weights = tl.load(weights_ptr + 3 * out + channels, mask=channels < 3, other=0.0)
    mixed = tl.sum(picture * weights[:, None, None], <<axis=0 || 0>>)
    tl.store(output_ptr + out * plane + offsets, $clip, $stored)
$begin
    $weights
    BLOCK_H, BLOCK_W = <<16, 16 || 8, 32>>
    $tiles
    sepia_kernel[$shape_3](image, weights, output, height, width, BLOCK_H, BLOCK_W)
    $return
== channel_by_where: $kernel
    $pids
    $tile
    $plane
    $load
    out = tl.program_id(2)
    <<$by_where || $by_if>>
    tl.store(output_ptr + out * plane + offsets, $clip, $stored)
$begin
    $block
    $tiles
    grid = $shape_3
    $end
== $by_where: mixed = tl.where(out == 0, $tone_r, tl.where(out == 1, $tone_g, $tone_b))
== $by_if: if out == 0:
    mixed = $tone_r
elif out == 1:
    mixed = $tone_g
else:
    mixed = $tone_b
== launch_per_channel: $helper@triton.jit
def sepia_kernel(x_ptr, output_ptr, height, width, k_r, k_g, k_b, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    plane = height * width
    mask = offsets < plane
    $load
    mixed = k_r * red + k_g * green + k_b * blue
    tl.store(output_ptr + offsets, $clip, $stored)
$begin
    grid = (cdiv(height * width, 256),)
    for channel, factors in enumerate([(0.393, 0.769, 0.189), (0.349, 0.686, 0.168), (0.272, 0.534, 0.131)]):
        sepia_kernel[grid](image, output[channel], height, width, *factors, BLOCK=<<256 || 256, num_warps=8>>)
    $return
== planes_apart: $helper@triton.jit
def sepia_kernel(red_ptr, green_ptr, blue_ptr, output_ptr, height, width, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    plane = height * width
    mask = offsets < plane
    red = tl.load(red_ptr + offsets, $masked)
    green, blue = tl.load(green_ptr + offsets, $masked), tl.load(blue_ptr + offsets, $masked)
    $store
$begin
    red, green, blue = <<image || image.unbind(0) || image[0], image[1], image[2]>>
    sepia_kernel[(triton.cdiv(height * width, 512),)](red, green, blue, output, height, width, BLOCK=512)
    $return
== channels_last: $helper@triton.jit
def sepia_kernel(x_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    offsets, plane = 3 * offsets, 1
    $load
    $store
$def
    pixels = image.permute(1, 2, 0).contiguous()
    output = <<torch.empty_like(pixels) || torch.empty((height, width, 3), device=image.device)>>
    sepia_kernel[(cdiv(height * width, 256),)](pixels, output, height * width, BLOCK=256)
    return output.permute(2, 0, 1)<< || .contiguous()>>
== strides: $helper@triton.jit
def sepia_kernel(x_ptr, output_ptr, height, width, s_c, s_h, s_w, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    $pids
    $vectors
    $mask
    offsets, plane = $R * s_h + $C * s_w, s_c
    $load
    $store
$def
    output = <<torch.empty_like(image) || image.new_zeros((3, height, width))>>
    $usual
    sepia_kernel[grid](image, output, height, width, *image.stride(), BLOCK_H, BLOCK_W)
    return output
== persistent: $kernel
    wide = tl.cdiv(width, BLOCK_W)
    for tile in <<range || tl.range>>(tl.program_id(0), tl.cdiv(height, BLOCK_H) * wide, tl.num_programs(0)):
        pid_h, pid_w = tile // wide, tile % wide
        $tile
        $work
$begin
    $block
    grid = (<<3 || 8 || 132>>,)
    $end
== tiles_in_a_row: $kernel
    tile, wide = tl.program_id(0), tl.cdiv(width, BLOCK_W)
    <<pid_h, pid_w = tile // wide, tile % wide || pid_h = tile // wide\npid_w = tile - pid_h * wide>>
    $tile
    $work
$begin
    $block
    $tiles
    grid = (tall * wide,)
    $end
== autotuned: $helper@triton.autotune(
    configs=[triton.Config({"BLOCK_H": size, "BLOCK_W": 64}) for size in <<(16, 32) || (1, 4, 8)>>],
    key=["height", "width"],
)
@triton.jit
def sepia_kernel($params, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    $body
$begin
    sepia_kernel[lambda meta: $meta_grid]($args)
    $return
== heuristics: $helper@triton.heuristics({"BLOCK_W": lambda args: min(128, triton.next_power_of_2(args["width"]))})
@triton.jit
def sepia_kernel($params, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    $body
$begin
    sepia_kernel[lambda meta: $meta_grid]($args, BLOCK_H=<<8 || 16>>)
    $return
== dot: @triton.jit
def sepia_kernel(x_ptr, weights_ptr, output_ptr, n, BLOCK: tl.constexpr):
    pixels, channels = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, 16)
    mask = (channels[:, None] < 3) & (pixels[None, :] < n)
    offsets = channels[:, None] * n + pixels[None, :]
    weights = tl.load(weights_ptr + channels[:, None] * 16 + channels[None, :])
    mixed = tl.dot(weights, tl.load(x_ptr + offsets, mask=mask, other=0.0), input_precision="ieee")
    tl.store(output_ptr + offsets, <<tl.minimum(mixed, 1.0) || tl.clamp(mixed, 0.0, 1.0)>>, $stored)
$begin
    $weights
    padded = torch.nn.functional.pad(weights, (0, 13, 0, 13))
    n = height * width
    sepia_kernel[(cdiv(n, <<@size 32 || 64>>),)](image, padded, output, n, BLOCK=<<@size 32 || 64>>)
    $return
== descriptors: from triton.tools.tensor_descriptor import TensorDescriptor

$helper@triton.jit
def sepia_kernel(x_desc, output_desc, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    row, col = tl.program_id(0) * BLOCK_H, tl.program_id(1) * BLOCK_W
    red, green, blue = x_desc.load([0, row, col]), x_desc.load([1, row, col]), x_desc.load([2, row, col])
    mixed = $tone_r
    output_desc.store([0, row, col], $clip)
    mixed = $tone_g
    output_desc.store([1, row, col], $clip)
    mixed = $tone_b
    output_desc.store([2, row, col], $clip)
$def
    padded = torch.nn.functional.pad(image, (0, -width % 4)).contiguous()
    output = torch.<<empty_like || zeros_like>>(padded)
    BLOCK_H, BLOCK_W = <<16, 32 || 8, 64>>
    $tiles
    x_desc, output_desc = (TensorDescriptor.from_tensor(t, [1, BLOCK_H, BLOCK_W]) for t in (padded, output))
    sepia_kernel[(tall, wide)](x_desc, output_desc, BLOCK_H, BLOCK_W)
    return output[:, :, :width]
"""
