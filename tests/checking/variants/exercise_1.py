"""Ways to add two vectors."""

NAMES = (
    "",
    "x_ptr:X y_ptr:Y output_ptr:Z n_elements:N BLOCK_SIZE:B offsets:i mask:m output:out add_kernel:k pid:p",
    "x_ptr:a_ptr y_ptr:b_ptr output_ptr:c_ptr n_elements:numel BLOCK_SIZE:BLOCK offsets:offs mask:ok output:c total:s",
    "x_ptr:first_vector y_ptr:second_vector output_ptr:result_vector n_elements:length offsets:indices grid:programs "
    "BLOCK_SIZE:ELEMENTS_PER_PROGRAM mask:in_bounds output:result add_kernel:add_vectors pid:program",
    "x_ptr:in_ptr0 y_ptr:in_ptr1 output_ptr:out_ptr0 n_elements:xnumel BLOCK_SIZE:XBLOCK offsets:xindex mask:xmask "
    "add_kernel:triton_poi_fused_add_0 output:buf0 pid:pid0 total:tmp2",
)

TABLE = r"""
== $pid: pid = <<tl.program_id(0) || tl.program_id(axis=0) || tl.program_id(axis=0).to(tl.int64) ||
tl.cast(tl.program_id(0), tl.int64) || tl.program_id(0)\ntl.assume(pid >= 0) ||
tl.num_programs(0) - 1 - tl.program_id(0)>>
== $offsets:
<<offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE) || offsets = tl.arange(0, BLOCK_SIZE) + pid * BLOCK_SIZE ||
block_start = pid * BLOCK_SIZE\noffsets = block_start + tl.arange(0, BLOCK_SIZE) ||
offsets = tl.arange(0, BLOCK_SIZE)\noffsets += BLOCK_SIZE * pid ||
offsets = tl.max_contiguous(tl.multiple_of(pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE), BLOCK_SIZE), BLOCK_SIZE)>>
== $mask:
mask = <<offsets < n_elements || n_elements > offsets || ~(offsets >= n_elements) || n_elements - offsets > 0 ||
(offsets >= 0) & (offsets < n_elements) || offsets <= n_elements - 1 || offsets >= 0 and offsets < n_elements ||
tl.where(offsets < n_elements, 1, 0).to(tl.int1)>>
== $masked: <<@masked mask=mask || mask || mask=mask, other=0.0 || mask, 0.0 || mask=mask, other=float("inf") ||
mask=mask, cache_modifier=".cg" || mask=mask, eviction_policy="evict_first">>
== $stored: <<@stored mask=mask || mask || mask=offsets < n_elements>>
== $loads: <<x = tl.load(x_ptr + offsets, $masked)\ny = tl.load(y_ptr + offsets, $masked) ||
y = tl.load(y_ptr + offsets, $masked)\nx = tl.load(x_ptr + offsets, $masked) ||
x = tl.load(offsets + x_ptr, $masked)\ny = tl.load(offsets + y_ptr, $masked) ||
x_ptrs, y_ptrs = x_ptr + offsets, y_ptr + offsets\nx, y = tl.load(x_ptrs, $masked), tl.load(y_ptrs, $masked)>>
== $sum: <<@sum x + y || y + x || tl.fma(x, 1.0, y) || x - (-y) || plus(x, y)>>
== $helper: <<@sum || || || || @triton.jit\ndef plus(left, right):\n    return left + right\n\n\n>>
== $store:
<<tl.store(output_ptr + offsets, $sum, $stored) || total = $sum\ntl.store(output_ptr + offsets, total, $stored) ||
total = $sum\ntl.store(output_ptr + offsets, total.to(output_ptr.dtype.element_ty), $stored) ||
out_ptrs = output_ptr + offsets\ntl.debug_barrier()\ntl.store(out_ptrs, $sum, $stored)>>
== $params: <<@order x_ptr, y_ptr, output_ptr, n_elements || output_ptr, x_ptr, y_ptr, n_elements ||
n_elements, x_ptr, y_ptr, output_ptr>>
== $args: <<@order x, y, output, n_elements || output, x, y, n_elements || n_elements, x, y, output>>
== $kernel: $helper@triton.jit
def add_kernel($params, BLOCK_SIZE: tl.constexpr):
== $at: $pid
$offsets
== $where: $at
$mask
== $body: $at
$work
== $work: $mask
$loads
$store
== $def: def add(<<x: torch.Tensor, y: torch.Tensor) -> torch.Tensor || x: torch.Tensor, y: torch.Tensor) || x, y)>>:
    <<check_tensors_gpu_ready(x, y, shapes="n, n", dtype=float) || x, y = x.contiguous(), y.contiguous() ||
    assert x.shape == y.shape and x.dtype == y.dtype\nassert x.is_contiguous() and y.is_contiguous() ||
    check_tensors_gpu_ready(x, y)\nif x.shape != y.shape:\n    raise ValueError("add expects one shape") || >>
    n_elements = x.numel()
== $begin: $def
    output = <<@make torch.empty_like(x) || torch.empty(x.shape, dtype=x.dtype, device=x.device) || y.clone() ||
    x.new_empty(x.shape) || torch.zeros_like(y) || torch.full_like(x, float("nan")) ||
    torch.empty(x.shape, dtype=torch.float64, device=DEVICE) ||
    torch.empty(n_elements + 100, dtype=x.dtype, device=x.device)>>
== $return: return <<@make output || output || output || output || output || output || output.to(x.dtype) ||
output[:n_elements].view(x.shape)>>
== $size: <<128 || 256 || 512 || 1024 || 2048 || 4096>>
== $block: BLOCK_SIZE = <<$size || min(triton.next_power_of_2(n_elements), $size)>>
== $grid: <<grid = (cdiv(n_elements, BLOCK_SIZE),) || grid = (triton.cdiv(n_elements, BLOCK_SIZE),) ||
grid = (tl.cdiv(n_elements, BLOCK_SIZE),) || grid = ((n_elements + BLOCK_SIZE - 1) // BLOCK_SIZE, 1, 1) ||
grid = lambda meta: (triton.cdiv(n_elements, meta["BLOCK_SIZE"]),) || grid = (-(-n_elements // BLOCK_SIZE),) ||
def grid(meta):\n    return (cdiv(n_elements, meta["BLOCK_SIZE"]),)\n>>
== $launch: <<add_kernel[grid]($args, BLOCK_SIZE=BLOCK_SIZE) || add_kernel[grid]($args, BLOCK_SIZE) ||
add_kernel[grid]($args, BLOCK_SIZE=BLOCK_SIZE, num_warps=8, num_stages=1) ||
add_kernel[grid](x_ptr=x, y_ptr=y, n_elements=n_elements, output_ptr=output, BLOCK_SIZE=BLOCK_SIZE) ||
launch = add_kernel[grid]\nlaunch($args, BLOCK_SIZE=BLOCK_SIZE) ||
print(f"adding {n_elements} elements")\nadd_kernel[grid]($args, BLOCK_SIZE)>>
== $end: $launch
$return
== $launcher: $begin
    $usual
    $end
== $aligned: x, y = (t if t.data_ptr() % 16 == 0 else t.clone() for t in (x, y))
BLOCK_SIZE = <<64 || 128 || 256>>
$grid
== $usual: $block
$grid
== $together: padded = x.new_zeros((2, n_elements + rest))
padded[0, :n_elements], padded[1, :n_elements] = x.view(-1), y.view(-1)
left, right = padded
== plain: $kernel
    $body
== annotated_in_strings: $helper@triton.jit
def add_kernel($params, BLOCK_SIZE: "tl.constexpr"):
    $body
== pointers_moved: $kernel
    $pid
    x_ptr += pid * BLOCK_SIZE
    y_ptr, output_ptr = y_ptr + pid * BLOCK_SIZE, output_ptr + pid * BLOCK_SIZE
    offsets = tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements - pid * BLOCK_SIZE
    $loads
    tl.store(output_ptr + offsets, $sum, <<mask=mask || mask>>)
== grid_stride: $kernel
    <<@loop for pid in range(tl.program_id(0), tl.cdiv(n_elements, BLOCK_SIZE), tl.num_programs(0)): ||
    for pid in tl.range(tl.program_id(0), tl.cdiv(n_elements, BLOCK_SIZE), tl.num_programs(0)): ||
    pid = tl.program_id(0)\nwhile pid * BLOCK_SIZE < n_elements:>>
        $offsets
        $work
        <<@loop || || pid += tl.num_programs(0)>>
$begin
    $block
    grid = (<<7 || min(16, cdiv(n_elements, BLOCK_SIZE)) || 108>>,)
    $end
== several_blocks: $helper@triton.jit
def add_kernel($params, BLOCK_SIZE: tl.constexpr, EACH: tl.constexpr = 2):
    for step in <<tl.static_range(EACH) || range(EACH) || tl.range(0, EACH, num_stages=2)>>:
        offsets = (tl.program_id(0) * EACH + step) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
        $work
$begin
    BLOCK_SIZE = $size
    add_kernel[(triton.cdiv(n_elements, BLOCK_SIZE * <<@each 2 || 8>>),)]($args, BLOCK_SIZE<<@each || , EACH=8>>)
    $return
== rows: $helper@triton.jit
def tile(start, ROWS: tl.constexpr, COLS: tl.constexpr):
    rows = tl.arange(0, ROWS)<<[:, None] || .expand_dims(1) || .reshape(ROWS, 1)>>
    return start + rows * COLS + tl.arange(0, COLS)[None, :]
@triton.jit
def add_kernel($params, ROWS: tl.constexpr, COLS: tl.constexpr):
    offsets = tile(tl.program_id(0) * ROWS * COLS, ROWS, COLS)
    $work
$begin
    ROWS, COLS = <<8, 128 || 16, 32 || 4, 256>>
    add_kernel[(cdiv(n_elements, ROWS * COLS),)]($args, ROWS, COLS=COLS)
    $return
== two_launches: @triton.jit
def add_kernel(x_ptr, output_ptr, n_elements, FIRST: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    $where
    total = tl.load(x_ptr + offsets, $masked)
    <<if not FIRST: || if FIRST == 0:>>
        total += tl.load(output_ptr + offsets, $masked)
    tl.store(output_ptr + offsets, total, $stored)
$begin
    $usual
    add_kernel[grid](x, output, n_elements, FIRST=True, BLOCK_SIZE=BLOCK_SIZE)
    add_kernel[grid](y, output, n_elements, <<FIRST=False || False>>, BLOCK_SIZE=BLOCK_SIZE)
    $return
== clamped: $kernel
    $where
    safe = <<tl.minimum(offsets, n_elements - 1) || tl.where(mask, offsets, 0) || offsets * mask>>
    x, y = tl.load(x_ptr + safe), tl.load(y_ptr + safe)
    $store
== autotuned: $helper@triton.autotune(
    configs=[triton.Config({"BLOCK_SIZE": s}, num_warps=<<4 || 8>>) for s in <<(256, 1024) || (512, 2048, 4096)>>],
    key=["n_elements"],
)
@triton.jit
def add_kernel($params, BLOCK_SIZE: tl.constexpr):
    $body
$begin
    add_kernel[lambda META: (<<triton.cdiv || cdiv>>(n_elements, META["BLOCK_SIZE"]),)]($args)
    $return
== heuristics: $helper@triton.heuristics({
    "BLOCK_SIZE": lambda args: min(triton.next_power_of_2(args["n_elements"]), $size),
    "EVEN": lambda args: args["n_elements"] % args["BLOCK_SIZE"] == 0,
})
@triton.jit
def add_kernel($params, BLOCK_SIZE: tl.constexpr, EVEN: tl.constexpr):
    $at
    if EVEN:
        tl.store(output_ptr + offsets, tl.load(x_ptr + offsets) + tl.load(y_ptr + offsets))
    else:
        $work
$begin
    add_kernel[lambda meta: (<<cdiv || triton.cdiv>>(n_elements, meta["BLOCK_SIZE"]),)]($args)
    $return
== device_descriptors:
triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device=DEVICE))
$kernel
    x_block = tl.make_tensor_descriptor(x_ptr, shape=[n_elements], strides=[1], block_shape=[BLOCK_SIZE])
    y_block = tl.make_tensor_descriptor(y_ptr, [n_elements], [1], [BLOCK_SIZE])
    output_block = tl.make_tensor_descriptor(output_ptr, [n_elements], [1], [BLOCK_SIZE])
    start = tl.program_id(0) * BLOCK_SIZE
    x, y = x_block.load([start]), <<y_block.load([start]) || tl.load_tensor_descriptor(y_block, [start])>>
    total = ($sum).to(output_ptr.dtype.element_ty)
    <<output_block.store([start], total) || tl.store_tensor_descriptor(output_block, [start], total)>>
$begin
    $aligned
    $end
== host_descriptors: from triton.tools.tensor_descriptor import TensorDescriptor
$helper@triton.jit
def add_kernel(x_desc, y_desc, output_desc, BLOCK_SIZE: tl.constexpr):
    start = tl.program_id(0) * BLOCK_SIZE
    x, y = x_desc.load([start]), y_desc.load([start])
    output_desc.store([start], $sum)
$def
    output = <<torch.empty_like(x) || torch.zeros_like(x) || x.new_empty(x.shape)>>
    $aligned
    add_kernel[grid](*(<<TensorDescriptor.from_tensor(t.view(-1), [BLOCK_SIZE]) ||
    TensorDescriptor(t, [n_elements], [1], [BLOCK_SIZE])>> for t in (x, y, output)), BLOCK_SIZE)
    return output
== helpers: @triton.jit
def where_am_i(n_elements, BLOCK_SIZE: tl.constexpr):
    $at
    return offsets, <<offsets < n_elements || n_elements > offsets>>
@triton.jit
def fetch(pointer, offsets, mask):
    return tl.load(pointer + offsets, $masked)
$kernel
    offsets, mask = where_am_i(n_elements, BLOCK_SIZE)
    total = fetch(x_ptr, offsets, mask)
    total <<+= || = total +>> fetch(y_ptr, offsets, mask)
    tl.store(output_ptr + offsets, total, $stored)
== two_axes: $kernel
    pid = tl.program_id(<<@axis 1 || 0>>) * tl.num_programs(<<@axis 0 || 1>>) + tl.program_id(<<@axis 0 || 1>>)
    $offsets
    $work
$begin
    $block
    grid = (<<4, cdiv(n_elements, 4 * BLOCK_SIZE) || triton.cdiv(n_elements, 3 * BLOCK_SIZE), 3>>)
    $end
== padded: $kernel
    $at
    x, y = tl.load(x_ptr + offsets), tl.load(y_ptr + offsets)
    tl.store(output_ptr + offsets, $sum, mask=offsets < n_elements)
$begin
    $block
    rest = -n_elements % BLOCK_SIZE
    <<left, right = (torch.nn.functional.pad(t.flatten(), (0, rest)) for t in (x, y)) || $together>>
    $grid
    add_kernel[grid](x_ptr=left, y_ptr=right, output_ptr=output, n_elements=n_elements, BLOCK_SIZE=BLOCK_SIZE)
    $return
== last_block_apart: $kernel
    $at
    if <<pid < n_elements // BLOCK_SIZE || (pid + 1) * BLOCK_SIZE <= n_elements>>:
        tl.store(output_ptr + offsets, tl.load(x_ptr + offsets) + tl.load(y_ptr + offsets))
    else:
        $work
== atomics: @triton.jit
def add_kernel($params, BLOCK_SIZE: tl.constexpr):
    $where
    tl.atomic_add(output_ptr + offsets, tl.load(x_ptr + offsets, $masked), $stored)
    tl.atomic_add(output_ptr + offsets, tl.load(y_ptr + offsets, $masked), $stored<<, sem="relaxed" || >>)
$def
    output = <<torch.zeros_like(x) || x.new_zeros(x.shape)>>
    $usual
    $launch
    return output
== in_place: $helper@triton.jit
def add_kernel(output_ptr, y_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    $where
    x, y = tl.load(output_ptr + offsets, $masked), tl.load(y_ptr + offsets, $masked)
    $store
$def
    output = <<x.clone() || torch.clone(x) || x.new_empty(x.shape).copy_(x)>>
    $usual
    add_kernel[grid](output, y, n_elements, BLOCK_SIZE=BLOCK_SIZE<<, num_warps=2 || >>)
    return output
== constant_outside: BLOCK_SIZE = tl.constexpr($size)
$helper@triton.jit
def add_kernel($params):
    $body
$begin
    add_kernel[(<<cdiv || triton.cdiv>>(n_elements, BLOCK_SIZE.value),)]($args)
    $return
== summed: $kernel
    $where
    $loads
    total = tl.sum(tl.join(x, y), <<axis=1 || axis=-1 || 1>>)
    tl.store(output_ptr + offsets, total, $stored)
== chosen_in_a_loop: $kernel
    $where
    total = tl.zeros(<<(BLOCK_SIZE,) || [BLOCK_SIZE]>>, dtype=x_ptr.dtype.element_ty)
    for vector in tl.static_range(2):
        total += tl.load((x_ptr if vector == 0 else y_ptr) + offsets, $masked)
    tl.store(output_ptr + offsets, total, $stored)
== block_pointers@advance: $kernel
    start = tl.program_id(0) * BLOCK_SIZE
    x_block = tl.make_block_ptr(x_ptr, (n_elements,), (1,), (start,), (BLOCK_SIZE,), (0,))
    y_block = tl.make_block_ptr(y_ptr, (n_elements,), (1,), (start,), (BLOCK_SIZE,), (0,))
    output_block = tl.make_block_ptr(output_ptr, (n_elements,), (1,), (start,), (BLOCK_SIZE,), (0,))
    total = tl.load(x_block, boundary_check=(0,)) + tl.load(y_block, boundary_check=(0,)<<, padding_option="zero" || >>)
    tl.store(output_block, total.to(output_ptr.dtype.element_ty), boundary_check=(0,))
"""
