"""Mistakes in right scripts of styles of their own: of each kind of change, a script that it puts right.

Each row has the right script, some code of it, and that code with the mistake. Its wrong lines are marked.
"""

from __future__ import annotations

SLIPS = {
    "divisor": (
        "3b-flattened",
        "y, x = pixel // width, pixel % width",
        "y, x = pixel // width, pixel % height  # wrong",
    ),
    "end": (
        "3-one-loop",
        "col_ok = (input_cols > -1) & (input_cols < width)",
        "col_ok = input_cols > -1  # wrong",
    ),
    "limit": (
        "2-helpers",
        "return tl.minimum(mixed, 1.0)",
        "return of_red * in_r + of_green * in_g + tl.minimum(of_blue * in_b, 1.0)  # wrong",
    ),
    "late": (
        "5b-several-rows-per-program",
        "        s = s * tl.exp(m - new) + tl.sum(tl.exp(x - new[:, None]), 1)\n        m = new\n",
        "        m = new  # wrong\n        s = s * tl.exp(m - new) + tl.sum(tl.exp(x - new[:, None]), 1)  # wrong\n",
    ),
    "twin": (
        "6b-two-loops",
        'cols <= rows[:, None], tl.dot(q, k.T, input_precision="ieee"), -float("inf"))\n        new =',
        'cols < rows[:, None], tl.dot(q, k.T, input_precision="ieee"), -float("inf"))  # wrong\n        new =',
    ),
    "hoisted": (
        "5b-several-rows-per-program",
        "    s = tl.zeros((ROWS,), tl.float32)\n    for start in range(0, V, COLS):\n",
        "    for start in range(0, V, COLS):\n        s = tl.zeros((ROWS,), tl.float32)  # wrong\n",
    ),
    "reciprocal": ("5-base-two", "* 1.4426950408889634", "* 0.6931471805599453  # wrong"),
    "early": (
        "6c-even-and-odd-columns-apart",
        "high = (packed // 16).to(tl.float16) - 8",
        "high = (packed // 16 - 8).to(tl.float16)  # wrong",
    ),
    "derived": (
        "3-one-loop",
        "offsets = start + input_rows[:, None] * width + input_cols[None, :]",
        "offsets = start + input_rows[:, None] * width + cols[None, :]  # wrong",
    ),
    "divided": (
        "6b-longest-rows-first-on-one-axis",
        "tl.store(o + rm[:, None] * D + rd[None, :], num / den[:, None], mask=(rm < n)[:, None])",
        "tl.store(o + rm[:, None] * D + rd[None, :], num, mask=(rm < n)[:, None])  # wrong",
    ),
    "step": (
        "6-strides-like-in-papers",
        "v_ptrs += BLOCK_N * stride_vn",
        "v_ptrs += BLOCK_N  # wrong",
    ),
    "beyond": (
        "6-one-axis-of-programs",
        '(SCALE * LOG2E)\n        s += tl.where(rn < n, 0.0, -float("inf"))[None, :]\n',
        "(SCALE * LOG2E)  # wrong\n",
    ),
    "twice": (
        "4-persistent",
        "b_mask = (rk < K)[:, None] & (rn < N)[None, :]",
        "b_mask = (rk < K - k)[:, None] & (rn < N)[None, :]  # wrong",
    ),
    "turned": ("3-one-loop", "(j + i * SIZE))", "(i + j * SIZE))  # wrong"),
    "prepared": (
        "6c-eight-times-the-sum-of-x-subtracted-once",
        "accumulator += (tl.dot(x, n.T) - offset[:, None]) * scale[None, :]",
        "accumulator += tl.dot(x, n.T) * scale[None, :] - offset[:, None]  # wrong",
    ),
}
