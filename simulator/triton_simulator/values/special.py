"""Special functions that neither numpy nor Python has.

Bessel functions and inverses of the error function are here, in float64.

Formulas by number: NIST, "Digital Library of Mathematical Functions".
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from triton_simulator.values.arithmetic import exact_product
from triton_simulator.values.formats import Array


def by_element(function: Callable[..., float]) -> Callable[..., Array]:
    """Return a function that is applied to each element, in float64."""
    return np.vectorize(function, otypes=[np.float64])


def gamma(x: float) -> float:
    """Return the gamma function."""
    try:
        return math.gamma(x)
    except OverflowError:
        return math.inf
    except ValueError:  # Python has no value for the poles
        return math.copysign(math.inf, x) if x == 0 else math.nan


def log_gamma(x: float) -> float:
    """Return the logarithm of the gamma function."""
    try:
        return math.lgamma(x)
    except (OverflowError, ValueError):
        return math.inf


def remainder(x: float, y: float) -> float:
    """Return the IEEE 754 remainder, or NaN."""
    try:
        return math.remainder(x, y)
    except ValueError:
        return math.nan


def sine_of_pi(x: Array) -> Array:
    """Return sin(πx), without an error that grows with x."""
    sine, cosine, quarter = _reduce_angle(x)
    result = np.choose(quarter, [sine, cosine, -sine, -cosine])
    # IEEE 754: sinPi of an integer is a zero with the sign of the integer.
    return np.where(result == 0, np.copysign(0.0, x), result)


def cosine_of_pi(x: Array) -> Array:
    """Return cos(πx)."""
    sine, cosine, quarter = _reduce_angle(x)
    return np.choose(quarter, [cosine, -sine, -cosine, sine]) + 0.0  # IEEE 754: its zeros are positive


def _reduce_angle(x: Array) -> tuple[Array, Array, Array]:
    turn = np.fmod(x, 2)
    quarters = np.rint(2 * turn)
    angle = math.pi * (turn - quarters / 2)
    return np.sin(angle), np.cos(angle), np.where(np.isfinite(x), quarters, 0).astype(np.int64) % 4


# The error function's relatives


_erf, _erfc = by_element(math.erf), by_element(math.erfc)


def inverse_of_erf(x: Array) -> Array:
    """Return the inverse of erf.

    By Halley's method from an approximation by S. Winitzki.
    """
    size = np.abs(x)
    inside = np.where(size < 0.5, size, 0.5)
    y = inside * math.sqrt(math.pi) / 2
    for _ in range(5):
        y = _halley(y, _erf(y) - inside)
    # Near 1, erf is flat, and only its complement still has digits.
    y = np.where(size < 0.5, y, _inverse_in_tail(1 - size))
    return np.where(size <= 1, np.copysign(y, x), np.nan)


def inverse_of_erfc(x: Array) -> Array:
    """Return the inverse of erfc."""
    y = np.copysign(_inverse_in_tail(np.where(x > 1, 2 - x, x)), 1 - x)
    middle = np.abs(1 - x) < 0.5
    y = np.where(middle, inverse_of_erf(np.where(middle, 1 - x, 0)), y)
    return np.where((x < 0) | (x > 2) | np.isnan(x), np.nan, y)


def _inverse_in_tail(tail: Array) -> Array:
    """Return the inverse of erfc, for numbers up to a half."""
    clipped = np.where((tail > 0) & (tail <= 0.5), tail, 0.25)
    log = np.log(clipped * (2 - clipped))
    # 0.147 is the constant of Winitzki's approximation.
    half = 2 / (math.pi * 0.147) + log / 2
    y = np.sqrt(np.sqrt(half * half - log / 0.147) - half)
    for _ in range(5):
        y = _halley(y, clipped - _erfc(y))
    return np.where(tail == 0, np.inf, y)


def _halley(y: Array, excess: Array) -> Array:
    step = excess * (math.sqrt(math.pi) / 2) * np.exp(y * y)
    return np.asarray(y - step / (1 + y * step))


def scaled_erfc(x: Array) -> Array:
    """Return exp(x²) · erfc(x).

    It comes from the continued fraction (7.9.1) where erfc vanishes.
    """
    # An absolute error of x² is a relative one of its exp: what rounding has cut off is put back.
    square, rest = exact_product(x, x)
    inner = np.where(np.abs(x) < 1e100, np.exp(square) * (1 + np.clip(np.nan_to_num(rest), -1e-9, 1)), np.inf)
    inner = inner * _erfc(np.where(x > 2, 0, x))
    fraction, large = np.zeros_like(x), np.where(x > 2, x, 2)
    for term in range(100, 0, -1):
        fraction = term / 2 / (large + fraction)
    return np.where(x > 2, 1 / math.sqrt(math.pi) / (large + fraction), inner)


def normal_cdf(x: Array) -> Array:
    """Return the normal distribution function."""
    return _erfc(-x / math.sqrt(2)) / 2


def inverse_of_normal_cdf(x: Array) -> Array:
    """Return the inverse of the normal distribution function."""
    return -math.sqrt(2) * inverse_of_erfc(2 * x)


# Bessel functions

_ASYMPTOTIC_START = 25.0
"""From here on, the asymptotic expansions are as good as float64."""
_RECURRENCE_START = 90
"""Order at which the recurrence down to order 0 begins.

J of this order is 0 at 25.
"""


def _bessel_orders(x: Array, max_order: int = _RECURRENCE_START) -> list[Array]:
    """Return J of orders 0 to `max_order` at 0 < x < 25.

    By recurrence downwards (3.6(v)), normalised by 10.12.4.
    """
    ratio, ratios = np.zeros_like(x), []
    for order in range(max_order + 20, 0, -1):
        # Begun 20 orders higher with 0: that error has died away on the way down.
        divisor = 2 * order / x - ratio
        # Where J has a zero, a huge ratio cancels in the next step, and infinity would not.
        ratio = 1 / np.where(divisor == 0, 1e-300, divisor)
        ratios.append(ratio)
    values = [np.ones_like(x)]
    for ratio in reversed(ratios):
        values.append(values[-1] * ratio)
    total = values[0] + 2 * sum(values[2::2])
    return [value / total for value in values]


def _hankel_expansion(order: int, x: Array) -> tuple[Array, Array, Array]:
    """Return J and Y of order 0 or 1 by Hankel's expansions, and x.

    The expansions multiply the cosine and the sine of x - (2n + 1)π/4 (10.17.3).
    """
    p, q, term = np.zeros_like(x), np.zeros_like(x), np.ones_like(x)
    for k in range(40):
        signed_term = term * (-1) ** (k // 2)
        p, q = (p + signed_term, q) if k % 2 == 0 else (p, q + signed_term)
        following = term * (4 * order**2 - (2 * k + 1) ** 2) / ((k + 1) * 8 * x)
        # The series diverges in the end: it is cut at its smallest term.
        term = np.where(np.abs(following) < np.abs(term), following, 0)
    sine, cosine = np.sin(x), np.cos(x)
    # From the sine and cosine of x itself, as subtracting π/4 would round a large x. `scale` makes up for the √2.
    c, s = {0: (cosine + sine, sine - cosine), 1: (sine - cosine, -sine - cosine)}[order]
    scale = np.sqrt(1 / (math.pi * x))
    return scale * (p * c - q * s), scale * (p * s + q * c), x


def first_kind(order: int, x: Array) -> Array:
    """Return J of order 0 or 1."""
    size = np.abs(x)
    # Each formula runs for all elements, with a harmless number where another one is right.
    inner = _bessel_orders(np.clip(np.where(np.isnan(size), 1, size), 1e-300, _ASYMPTOTIC_START))[order]
    # The recurrence is clipped at 1e-300; up to here, the first term alone is exact.
    inner = np.where(size < 1e-150, 1.0 if order == 0 else size / 2, inner)
    outer = _hankel_expansion(
        order, np.where(np.isfinite(size), np.maximum(size, _ASYMPTOTIC_START), _ASYMPTOTIC_START)
    )[0]
    result = np.where(size < _ASYMPTOTIC_START, inner, np.where(np.isinf(size), 0, outer))
    result = np.where(np.isnan(x), np.nan, result)
    return np.where(np.signbit(x), -result, result) if order else result


def second_kind(order: int, x: Array) -> Array:
    """Return Y of order 0 or 1.

    By Neumann's expansion (10.23.17) and its derivative.
    """
    inner = np.clip(np.where(np.isnan(x), 1, x), 1e-300, _ASYMPTOTIC_START)
    j = _bessel_orders(inner)
    log = np.log(inner / 2) + np.euler_gamma
    # Up to 25, J of orders around 80 is far below float64's last digit, so 39 terms are enough.
    if order == 0:
        total = sum((-1) ** k * j[2 * k] / k for k in range(1, 40))
        value = 2 / math.pi * log * j[0] - 4 / math.pi * total
    else:
        total = sum((-1) ** k * (j[2 * k - 1] - j[2 * k + 1]) / (2 * k) for k in range(1, 40))
        value = 2 / math.pi * (log * j[1] - j[0] / inner) + 4 / math.pi * total
    # The recurrence is clipped at 1e-300; up to here, the first term alone is exact. Half of x may be rounded to 0.
    nearly = np.log(x) - math.log(2) + np.euler_gamma if order == 0 else -1 / x
    value = np.where(x < 1e-150, 2 / math.pi * nearly, value)
    outer = _hankel_expansion(order, np.where(np.isfinite(x), np.maximum(x, _ASYMPTOTIC_START), _ASYMPTOTIC_START))[1]
    result = np.where(x < _ASYMPTOTIC_START, value, np.where(np.isinf(x), 0, outer))
    # Y is complex below zero, and has a pole at zero.
    return np.where(x < 0, np.nan, np.where(x == 0, -np.inf, np.where(np.isnan(x), np.nan, result)))


def modified_first_kind(order: int, x: Array) -> Array:
    """Return I of order 0 or 1.

    By a series (10.25.2), or the mean of exp(x cos t) cos(nt) over a circle (10.32.3).
    """
    size = np.abs(x)
    inner = np.minimum(size, 15)
    quarter = inner * inner / 4
    term = (inner / 2) ** order
    series = np.zeros_like(inner)
    for k in range(1, 60):
        series, term = series + term, term * quarter / (k * (k + order))
    # Over a full period, the mean of equal steps converges exponentially, so 300 are enough.
    angles = np.arange(300) * (math.pi / 150)
    # Beyond, the result is infinite, and the clipped number makes it so, too.
    large = np.clip(np.where(np.isnan(size), 15, size), 15, 1e4)
    mean = sum(np.exp(large * (math.cos(t) - 1)) * math.cos(order * t) for t in angles) / len(angles)
    # In two halves: exp(x) overflows before its product with a small mean does.
    outer = np.exp(large / 2) * mean * np.exp(large / 2)
    result = np.where(size <= 15, series, np.where(np.isnan(x), np.nan, outer))
    return np.where(np.signbit(x), -result, result) if order else result


def _recur_upwards(first: Callable[[int, Array], Array], n: int, x: float) -> float:
    """Return J or Y of any order n > 1, by recurrence upwards."""
    low, high = (float(first(order, np.array([x]))[0]) for order in (0, 1))
    for order in range(1, n):
        low, high = high, high if math.isinf(high) else 2 * order / x * high - low
    return high if n else low


def first_kind_of_order(n: int, x: float) -> float:
    """Return J of any order."""
    if n < 0 or math.isnan(x):
        return math.nan
    if n <= 1:
        return float(first_kind(n, np.array([x]))[0])
    if x == 0 or math.isinf(x):
        return 0.0
    size = abs(x)
    # Upwards, the recurrence loses the digits of J once its order is above x (DLMF 3.6(ii)).
    if n < size:
        value = _recur_upwards(first_kind, n, size)
    else:
        value = float(_bessel_orders(np.array([size]), max_order=n + int(size) + 60)[n][0])
    has_other_sign = x < 0 and n % 2
    return -value if has_other_sign else value


def second_kind_of_order(n: int, x: float) -> float:
    """Return Y of any order."""
    is_defined = n >= 0 and x >= 0  # which NaN is not
    if not is_defined:
        return math.nan
    if x == 0:
        return -math.inf
    if math.isinf(x):
        return 0.0
    # Y grows with its order, so that errors stay small beside it.
    return _recur_upwards(second_kind, n, x)
