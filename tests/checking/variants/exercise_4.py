"""Ways to multiply two matrices."""

NAMES = (
    "",
    "a_ptr:A b_ptr:B c_ptr:C BM:BLOCK_M BN:BLOCK_N BK:BLOCK_K offs_m:rm offs_n:rn offs_k:rk c:out",
    "BM:BLOCK_SIZE_M BN:BLOCK_SIZE_N BK:BLOCK_SIZE_K acc:accumulator sam:stride_am sak:stride_ak sbk:stride_bk "
    "sbn:stride_bn scm:stride_cm scn:stride_cn",
    "a_ptr:x_ptr b_ptr:w_ptr c_ptr:y_ptr offs_m:rows offs_n:cols offs_k:inner acc:total BM:TILE_ROWS BN:TILE_COLS "
    "BK:STEP matmul_kernel:_matmul_fwd grid:tiles",
    "a_ptr:in_ptr0 b_ptr:in_ptr1 c_ptr:out_ptr0 M:rows_of_a N:columns_of_b K:inner_size BM:XBLOCK BN:YBLOCK BK:RBLOCK "
    "acc:_tmp matmul_kernel:triton_tem_fused_mm_0 c:buf0",
)

TABLE = r"""
== $pids: pid_m = tl.program_id(<<@axes 0 || 1>>)<<@cast || .to(tl.int64)>>
pid_n = tl.program_id(axis=<<@axes 1 || 0>>)<<@cast || .to(tl.int64)>>
== $mn: <<offs_m = pid_m * BM + tl.arange(0, BM)\noffs_n = pid_n * BN + tl.arange(0, BN) ||
offs_n = tl.arange(0, BN) + pid_n * BN\noffs_m = tl.arange(0, BM) + pid_m * BM>>
== $zeros: acc = <<tl.zeros((BM, BN), dtype=tl.float32) || tl.zeros([BM, BN], tl.float32) ||
tl.full((BM, BN), 0.0, dtype=tl.float32)>>
== $other: <<@other mask=a_mask, other=0.0 || a_mask, 0.0 || mask=a_mask, other=0>>
== $other_b: <<@other mask=b_mask, other=0.0 || b_mask, 0.0 || mask=b_mask, other=0>>
== $dot: <<@dot acc = tl.dot(a, b, acc, input_precision="ieee") || acc += tl.dot(a, b, input_precision="ieee") ||
acc = tl.dot(a, b, acc=acc, input_precision="ieee") || acc += tl.dot(a, b, allow_tf32=False) ||
acc = acc + tl.dot(a, b, input_precision="ieee", out_dtype=tl.float32) ||
acc += tl.dot(a.to(tl.float32), b.to(tl.float32), input_precision="ieee")>>
== $load: a_mask = <<(offs_m[:, None] < M) & (offs_k[None, :] < K) || (K > offs_k[None, :]) & (M > offs_m[:, None]) ||
offs_m[:, None] < M and offs_k[None, :] < K>>
b_mask = <<(offs_k[:, None] < K) & (offs_n[None, :] < N) || (offs_n[None, :] < N) & (offs_k[:, None] < K) ||
(offs_k < K)[:, None] & (offs_n < N)[None, :]>>
a = tl.load($a_ptrs, $other)
b = tl.load($b_ptrs, $other_b)
== $a_ptrs: a_ptr + <<@at (offs_m[:, None] * sam + offs_k[None, :] * sak) ||
offs_k[None, :] * sak + offs_m[:, None] * sam>>
== $b_ptrs: b_ptr + <<@at (offs_k[:, None] * sbk + offs_n[None, :] * sbn) ||
offs_n[None, :] * sbn + offs_k[:, None] * sbk>>
== $loop: <<for k in range(0, K, BK):\n    offs_k = k + tl.arange(0, BK) ||
for k in range(tl.cdiv(K, BK)):\n    offs_k = k * BK + tl.arange(0, BK) ||
for k in tl.range(0, tl.cdiv(K, BK), num_stages=2):\n    offs_k = tl.arange(0, BK) + k * BK ||
for k in range((K + BK - 1) // BK):\n    offs_k = BK * k + tl.arange(0, BK)>>
== $sum: $zeros
$loop
    $load
    $dot
== $store: c_ptrs = c_ptr + <<@at offs_m[:, None] * scm + offs_n[None, :] * scn ||
offs_n[None, :] * scn + offs_m[:, None] * scm>>
c_mask = (offs_m[:, None] < M) & (offs_n[None, :] < N)
tl.store(c_ptrs, <<acc || acc.to(c_ptr.dtype.element_ty) || acc.to(c_ptr.type.element_ty)>>, <<mask=c_mask || c_mask>>)
== $params: <<@order a_ptr, b_ptr, c_ptr, M, N, K || c_ptr, a_ptr, b_ptr, M, N, K || M, N, K, a_ptr, b_ptr, c_ptr>>
== $args: <<@order a, b, c, M, N, K || c, a, b, M, N, K || M, N, K, a, b, c>>
== $steps: sam, sak, sbk, sbn, scm, scn
== $sizes: BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
== $strides: <<*a.stride(), *b.stride(), *c.stride() ||
a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1)>>
== $kernel: @triton.jit
def matmul_kernel($params, $steps, $sizes):
== $def: def matmul(<<a: torch.Tensor, b: torch.Tensor) -> torch.Tensor || a: torch.Tensor, b: torch.Tensor) || a, b)>>:
    <<assert a.shape[1] == b.shape[0] and a.dtype == b.dtype || 
    check_tensors_gpu_ready(a, b, shapes="M K, K N", dtype=float, contiguous=False) || $refuse || >>
    <<(M, K), (_, N) = a.shape, b.shape || M, K = a.shape\nN = b.shape[1] || M, N, K = a.size(0), b.size(1), a.size(1)>>
== $refuse: if a.shape[1] != b.shape[0]:
    raise ValueError(f"matmul expects (M, K) and (K, N), got {tuple(a.shape)} and {tuple(b.shape)}")
== $begin: $def
    c = <<@make torch.empty((M, N), dtype=a.dtype, device=a.device) || a.new_empty(M, N) ||
    torch.zeros((M, N), dtype=a.dtype, device=DEVICE) ||
    torch.full((M, N), float("nan"), dtype=a.dtype, device=a.device) ||
    torch.empty((M, N), dtype=torch.float32, device=a.device) ||
    torch.empty((M + 3, N + 5), dtype=a.dtype, device=a.device) ||
    torch.empty((N, M), dtype=a.dtype, device=a.device).t() || a.new_zeros((M, N))>>
== $return: return <<@make c || c || c || c || c.to(a.dtype) || c[:M, :N] || c || c>>
== $block: BM, BN, BK = <<16, 16, 16 || 32, 32, 32 || 64, 64, 32 || 16, 64, 32 || 64, 16, 16 || 32, 64, 64>>
== $tiles: <<tall, wide = cdiv(M, BM), cdiv(N, BN) || tall, wide = triton.cdiv(M, BM), triton.cdiv(N, BN) ||
tall = (M + BM - 1) // BM\nwide = (N + BN - 1) // BN || tall, wide = -(-M // BM), -(-N // BN)>>
== $shape: <<@axes (tall, wide) || (wide, tall)>>
== $meta: grid = lambda meta: <<@axes (cdiv(M, meta["BM"]), cdiv(N, meta["BN"])) ||
(triton.cdiv(N, meta["BN"]), triton.cdiv(M, meta["BM"]))>>
== $grid: <<$tiles\ngrid = $shape || $meta>>
== $flat_grid: grid = <<(cdiv(M, BM) * cdiv(N, BN),) ||
lambda meta: (triton.cdiv(M, meta["BM"]) * triton.cdiv(N, meta["BN"]),)>>
== $launch: <<matmul_kernel[grid]($args, $strides, BM, BN, BK) ||
matmul_kernel[grid]($args, $strides, BM=BM, BN=BN, BK=BK) ||
matmul_kernel[grid]($args, $strides, BK=BK, BN=BN, BM=BM, num_warps=4, num_stages=3) || $launch_by_name>>
== $launch_by_name: (sam, sak), (sbk, sbn), (scm, scn) = a.stride(), b.stride(), c.stride()
matmul_kernel[grid](
    a_ptr=a, b_ptr=b, c_ptr=c, M=M, N=N, K=K, sam=sam, sak=sak, sbk=sbk, sbn=sbn, scm=scm, scn=scn, BM=BM, BN=BN, BK=BK
)
== $end: $launch
$return
== $launcher: $begin
    $block
    $grid
    $end
== tiles: $kernel
    $pids
    $mn
    $sum
    $store
== pointers_moved: $kernel
    $pids
    $mn
    offs_k = tl.arange(0, BK)
    a_ptrs = $a_ptrs
    b_ptrs = $b_ptrs
    $zeros
    <<@loop for k in range(0, K, BK): || for k in range(0, tl.cdiv(K, BK)): || k = 0\nwhile k < K: ||
    for rest in range(K, 0, -BK):>>
        rest = <<@loop K - k || K - k * BK || K - k || rest>>
        a_mask = (offs_m[:, None] < M) & (offs_k[None, :] < rest)
        b_mask = (offs_k[:, None] < rest) & (offs_n[None, :] < N)
        a, b = tl.load(a_ptrs, $other), tl.load(b_ptrs, $other_b)
        $dot
        a_ptrs += BK * sak
        b_ptrs += BK * sbk
        <<@loop || || k += BK || >>
    $store
== k_from_the_end: $kernel
    $pids
    $mn
    offs_k = (tl.cdiv(K, BK) - 1) * BK + tl.arange(0, BK)
    $zeros
    for <<_ || step>> in range(tl.cdiv(K, BK)):
        $load
        $dot
        offs_k -= BK
    $store
== rows_wrap_around: $kernel
    $pids
    offs_m = (pid_m * BM + tl.arange(0, BM)) % M
    offs_n = (pid_n * BN + tl.arange(0, BN)) % N
    $zeros
    $loop
        a = tl.load($a_ptrs, mask=offs_k[None, :] < K, other=0.0)
        b = tl.load($b_ptrs, mask=offs_k[:, None] < K, other=0.0)
        $dot
    $mn
    $store
== clamped: $kernel
    $pids
    $mn
    $zeros
    $loop
        a_at = tl.minimum(offs_m, M - 1)[:, None] * sam + tl.minimum(offs_k, K - 1)[None, :] * sak
        a = tl.where(offs_k[None, :] < K, tl.load(a_ptr + a_at), 0.0)
        b_at = <<tl.minimum(offs_k, K - 1)[:, None] * sbk + tl.where(offs_n < N, offs_n, 0)[None, :] * sbn ||
        tl.where(offs_k < K, offs_k, 0)[:, None] * sbk + tl.minimum(offs_n, N - 1)[None, :] * sbn>>
        b = tl.where(offs_k[:, None] < K, tl.load(b_ptr + b_at), 0.0)
        $dot
    $store
== grouped: @triton.jit
def matmul_kernel($params, $steps, $sizes, GROUP: tl.constexpr):
    pid = tl.program_id(<<0 || axis=0>>)
    tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    in_group = GROUP * tiles_n
    first_m = pid // in_group * GROUP
    size = <<min(tiles_m - first_m, GROUP) || tl.minimum(tiles_m - first_m, GROUP)>>
    pid_m = first_m + <<(pid % in_group) % size || pid % size>>
    pid_n = (pid % in_group) // size
    $mn
    $sum
    $store
$begin
    $block
    $flat_grid
    matmul_kernel[grid]($args, $strides, BM, BN, BK, GROUP=<<2 || 4 || 8>>)
    $return
== swizzled: $kernel
    tall, wide = tl.num_programs(0), tl.num_programs(1)
    pid_m, pid_n = tl.swizzle2d(tl.program_id(0), tl.program_id(1), tall, wide, <<2 || 4>>)
    $mn
    $sum
    $store
$begin
    $block
    $tiles
    grid = (tall, wide)
    $end
== persistent: $kernel
    wide = tl.cdiv(N, BN)
    for tile in <<range || tl.range>>(tl.program_id(0), tl.cdiv(M, BM) * wide, tl.num_programs(0)):
        pid_m, pid_n = <<tile // wide, tile % wide || tile // wide, tile - tile // wide * wide>>
        $mn
        $sum
        $store
$begin
    $block
    grid = (<<4 || 7 || min(132, cdiv(M, BM) * cdiv(N, BN))>>,)
    $end
== tiles_in_a_row: $kernel
    pid, wide = tl.program_id(0), tl.cdiv(N, BN)
    <<pid_m, pid_n = pid // wide, pid % wide || pid_n = pid % wide\npid_m = (pid - pid_n) // wide>>
    $mn
    $sum
    $store
$begin
    $block
    $flat_grid
    $end
== split_k_with_atomics: $kernel
    $pids
    $mn
    offs_k = tl.program_id(2) * BK + tl.arange(0, BK)
    $load
    acc = tl.dot(a, b, input_precision="ieee")
    c_mask = (offs_m[:, None] < M) & (offs_n[None, :] < N)
    tl.atomic_add(c_ptr + offs_m[:, None] * scm + offs_n[None, :] * scn, acc, mask=c_mask<< || , sem="relaxed">>)
$def
    c = torch.zeros((M, N), <<dtype=torch.float32, || >>device=a.device)
    $block
    $tiles
    grid = (*$shape, cdiv(K, BK))
    $launch
    return c.to(a.dtype)
== split_k_and_reduce: @triton.jit
def reduce_kernel(parts_ptr, c_ptr, n, PARTS: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), tl.float32)
    for part in <<tl.static_range(PARTS) || range(PARTS)>>:
        acc += tl.load(parts_ptr + part * n + offsets, mask=offsets < n, other=0.0)
    tl.store(c_ptr + offsets, acc, mask=offsets < n)

@triton.jit
def matmul_kernel($params, $steps, $sizes, PARTS: tl.constexpr):
    $pids
    $mn
    $zeros
    for k in range(tl.program_id(2), tl.cdiv(K, BK), PARTS):
        offs_k = k * BK + tl.arange(0, BK)
        $load
        $dot
    c_ptr += tl.program_id(2) * M * N
    $store
$def
    parts = torch.empty((<<@parts 2 || 4>>, M, N), dtype=torch.float32, device=a.device)
    c = parts.view(-1, N)
    $block
    $tiles
    matmul_kernel[(*$shape, <<@parts 2 || 4>>)]($args, $strides, BM, BN, BK, PARTS=<<@parts 2 || 4>>)
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    reduce_kernel[(cdiv(M * N, 256),)](parts, c, M * N, PARTS=<<@parts 2 || 4>>, BLOCK=256)
    return c
== launch_per_slice: $kernel
    $pids
    $mn
    offs_k = tl.arange(0, BK)
    c_mask = (offs_m[:, None] < M) & (offs_n[None, :] < N)
    acc = tl.load(c_ptr + offs_m[:, None] * scm + offs_n[None, :] * scn, mask=c_mask, other=0.0)
    $load
    $dot
    $store
$def
    c = <<torch.zeros((M, N), dtype=torch.float32, device=a.device) || torch.zeros(M, N, device=DEVICE)>>
    $block
    $tiles
    whole_a, whole_b = a, b
    for k in range(0, K, BK):
        a, b, grid = whole_a[:, k : k + BK], whole_b[k : k + BK], $shape
        K = a.shape[1]
        $launch
    return c.to(a.dtype)
== contiguous_copies: @triton.jit
def matmul_kernel($params, $sizes):
    $pids
    $mn
    sam, sbk, scm = K, N, N
    sak, sbn, scn = 1, 1, 1
    $sum
    $store
$def
    a, b = <<a.contiguous(), b.contiguous() || a.clone(memory_format=torch.contiguous_format), b.contiguous()>>
    c = torch.<<empty || zeros>>((M, N), dtype=a.dtype, device=a.device)
    $block
    $grid
    matmul_kernel[grid]($args, BM=BM, BN=BN, BK=BK)
    return c
== transposed_product: $kernel
    $pids
    $mn
    $sum
    $store
$def
    c = torch.empty((N, M), dtype=a.dtype, device=a.device)
    a, b, M, N = <<b.t(), a.t(), N, M || b.T, a.T, N, M || b.transpose(0, 1), a.transpose(0, 1), N, M>>
    $block
    $grid
    $launch
    return c.<<t() || T || mT>>
== tile_of_b_transposed: $kernel
    $pids
    $mn
    $zeros
    $loop
        a = tl.load($a_ptrs, mask=(offs_m[:, None] < M) & (offs_k[None, :] < K), other=0.0)
        b_mask = (offs_n[:, None] < N) & (offs_k[None, :] < K)
        b = <<tl.trans || tl.permute>>(tl.load(b_ptr + offs_n[:, None] * sbn + offs_k[None, :] * sbk, $other_b), (1, 0))
        $dot
    $store
== row_times_columns: @triton.jit
def matmul_kernel($params, $steps, BN: tl.constexpr, BK: tl.constexpr):
    row, offs_n = tl.program_id(0), tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BN,), dtype=tl.float32)
    $loop
        a = tl.load(a_ptr + row * sam + offs_k * sak, mask=offs_k < K, other=0.0).to(tl.float32)
        b_mask = (offs_k[:, None] < K) & (offs_n[None, :] < N)
        b = tl.load($b_ptrs, $other_b).to(tl.float32)
        acc += tl.sum(<<a[:, None] * b || b * a[:, None]>>, axis=0)
    tl.store(c_ptr + row * scm + offs_n * scn, acc, <<mask=offs_n < N || offs_n < N>>)
$begin
    matmul_kernel[(M, cdiv(N, 64))]($args, $strides, BN=64, BK=<<16 || 32 || 64>>)
    $return
== outer_products: @triton.jit
def matmul_kernel($params, $steps, BM: tl.constexpr, BN: tl.constexpr):
    $pids
    $mn
    $zeros
    for k in range(<<K || 0, K>>):
        column = tl.load(a_ptr + offs_m * sam + k * sak, mask=offs_m < M, other=0.0).to(tl.float32)
        row = tl.load(b_ptr + k * sbk + offs_n * sbn, mask=offs_n < N, other=0.0).to(tl.float32)
        acc += <<column[:, None] * row[None, :] || tl.expand_dims(column, 1) * tl.expand_dims(row, 0)>>
    $store
$begin
    BM, BN = <<32, 32 || 64, 64 || 16, 128>>
    $grid
    matmul_kernel[grid]($args, $strides, BM=BM, BN=BN)
    $return
== three_axes: $kernel
    $pids
    $mn
    $zeros
    $loop
        $load
        products = a.to(tl.float32)[:, :, None] * b.to(tl.float32)[None, :, :]
        acc += tl.sum(products, <<axis=1 || 1>>)
    $store
$begin
    BM, BN, BK = <<16, 16, 16 || 8, 32, 16 || 4, 8, 32>>
    $grid
    $end
== padded: @triton.jit
def matmul_kernel($params, $steps, $sizes):
    $pids
    $mn
    $zeros
    $loop
        a, b = tl.load($a_ptrs), tl.load($b_ptrs)
        $dot
    tl.store(c_ptr + offs_m[:, None] * scm + offs_n[None, :] * scn, acc.to(c_ptr.dtype.element_ty))
$def
    height, width = M, N
    $block
    a = torch.nn.functional.pad(a, (0, -K % BK, 0, -M % BM))
    b = torch.nn.functional.pad(b, (0, -N % BN, 0, -K % BK))
    (M, K), (_, N) = a.shape, b.shape
    c = torch.<<empty || zeros>>((M, N), dtype=a.dtype, device=a.device)
    $grid
    $launch
    return c[:height, :width]<< || .contiguous() || .clone()>>
== even_k: @triton.heuristics({"EVEN_K": lambda args: args["K"] % args["BK"] == 0})
@triton.jit
def matmul_kernel($params, $steps, $sizes, EVEN_K: tl.constexpr):
    $pids
    offs_m = <<(pid_m * BM + tl.arange(0, BM)) % M || tl.minimum(pid_m * BM + tl.arange(0, BM), M - 1)>>
    offs_n = (pid_n * BN + tl.arange(0, BN)) % N
    $zeros
    $loop
        if EVEN_K:
            a, b = tl.load($a_ptrs), tl.load($b_ptrs)
        else:
            a = tl.load($a_ptrs, mask=offs_k[None, :] < K, other=0.0)
            b = tl.load($b_ptrs, mask=offs_k[:, None] < K, other=0.0)
        $dot
    $mn
    $store
== autotuned: @triton.autotune(
    configs=[triton.Config({"BM": size, "BN": 32, "BK": <<16 || 32>>}, num_warps=4) for size in <<(16, 64) || (32,)>>],
    key=["M", "N", "K"],
)
$kernel
    $pids
    $mn
    $sum
    $store
$begin
    $meta
    matmul_kernel[grid]($args, $strides)
    $return
== helpers: @triton.jit
def span(pid, BLOCK: tl.constexpr):
    return pid * BLOCK + tl.arange(0, BLOCK)

@triton.jit
def fetch(base, rows, cols, height, width, row_step, col_step):
    a_mask = (rows[:, None] < height) & (cols[None, :] < width)
    return tl.load(base + rows[:, None] * row_step + cols[None, :] * col_step, $other)

$kernel
    $pids
    offs_m, offs_n = span(pid_m, BM), span(pid_n, BN)
    $zeros
    for k in range(tl.cdiv(K, BK)):
        offs_k = span(k, BK)
        a, b = fetch(a_ptr, offs_m, offs_k, M, K, sam, sak), fetch(b_ptr, offs_k, offs_n, K, N, sbk, sbn)
        $dot
    $store
== device_descriptors: workspace = lambda size, align, stream: torch.empty(size, dtype=torch.int8, device=DEVICE)
triton.set_allocator(workspace)
$eights
@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, $sizes):
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b_desc = tl.make_tensor_descriptor(b_ptr, <<[K, N], [N, 1] || shape=[K, N], strides=[N, 1]>>, block_shape=[BK, BN])
    c_desc = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    row, col = tl.program_id(0) * BM, tl.program_id(1) * BN
    $zeros
    for k in range(0, K, BK):
        a, b = a_desc.load([row, k]), b_desc.load([k, col])
        $dot
    c_desc.store([row, col], acc.to(c_ptr.dtype.element_ty))
$def
    $block
    height, width, a, b = M, N, in_eights(a), in_eights(b)
    (M, K), (_, N) = a.shape, b.shape
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    matmul_kernel[(cdiv(M, BM), cdiv(N, BN))](a, b, c, M, N, K, BM, BN, BK)
    return c[:height, :width]
== host_descriptors: from triton.tools.tensor_descriptor import TensorDescriptor
$eights
@triton.jit
def matmul_kernel(a_desc, b_desc, c_desc, K, $sizes):
    row, col = tl.program_id(0) * BM, tl.program_id(1) * BN
    $zeros
    for k in range(0, K, BK):
        a, b = a_desc.load([row, k]), b_desc.load([k, col])
        $dot
    c_desc.store([row, col], acc.to(<<c_desc.dtype || c_desc.type.block_type.element_ty>>))
$def
    $block
    padded_a, padded_b = in_eights(a), in_eights(b)
    c = torch.empty((padded_a.shape[0], padded_b.shape[1]), dtype=a.dtype, device=a.device)
    a_desc, b_desc = TensorDescriptor.from_tensor(padded_a, [BM, BK]), TensorDescriptor.from_tensor(padded_b, [BK, BN])
    c_desc = TensorDescriptor.from_tensor(c, [BM, BN])
    matmul_kernel[(cdiv(M, BM), cdiv(N, BN))](a_desc, b_desc, c_desc, K, BM, BN, BK)
    return c[:M, :N]
== $eights: <<$eights_by_pad || $eights_by_copy>>
== $eights_by_pad: def in_eights(matrix):
    height, width = matrix.shape
    return torch.nn.functional.pad(matrix, (0, -width % 8, 0, -height % 8)).contiguous()
== $eights_by_copy: def in_eights(matrix):
    copy = matrix.new_zeros([cdiv(size, 8) * 8 for size in matrix.shape])
    copy[: matrix.shape[0], : matrix.shape[1]] = matrix
    return copy
== block_pointers@advance: $kernel
    row, col = tl.program_id(0) * BM, tl.program_id(1) * BN
    a_block = tl.make_block_ptr(a_ptr, (M, K), (sam, sak), (row, 0), (BM, BK), (1, 0))
    b_block = tl.make_block_ptr(b_ptr, (K, N), (sbk, sbn), (0, col), (BK, BN), <<(1, 0) || order=(1, 0)>>)
    $zeros
    for _ in range(0, K, BK):
        a = tl.load(a_block, boundary_check=(0, 1), padding_option="zero")
        b = tl.load(b_block, boundary_check=(0, 1), padding_option="zero")
        $dot
        a_block, b_block = tl.advance(a_block, (0, BK)), tl.advance(b_block, (BK, 0))
    c_block = tl.make_block_ptr(c_ptr, (M, N), (scm, scn), (row, col), (BM, BN), (1, 0))
    tl.store(c_block, acc.to(c_ptr.dtype.element_ty), boundary_check=(0, 1))
$begin
    $block
    grid = (cdiv(M, BM), cdiv(N, BN))
    $end
"""
