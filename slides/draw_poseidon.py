"""Draw the picture that the image kernels work on: Poseidon and his trident, rising out of a storm.

    uv run slides/draw_poseidon.py [OUTPUT]

Every coordinate is in pixels of the finished 1280 x 960 picture, x to the right and y down. The drawing is made four
times as large and then reduced, which smooths the edges. Two runs write the same bytes.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

Floats = NDArray[np.float64]
Curve = Floats  # (n, 2): points x, y
Colour = str | tuple[int, int, int]

WIDTH, HEIGHT = 1280, 960
SCALE = 4
SEED = 1898
OUTPUT = Path(__file__).parent / "poseidon_triton.jpeg"

INK = "#0a1230"
FOAM, FOAM_SHADE = "#fdf3d8", "#8fd0cf"
GOLD, GOLD_LIGHT, GOLD_DARK = "#fbc33a", "#fff0a8", "#a8560f"
SKIN, SKIN_LIGHT, SKIN_DARK = "#b9572c", "#e98d45", "#6e2540"
RIM = "#ffc062"
HAIR, HAIR_LIGHT, HAIR_DARK, HAIR_DEEP = "#cfeadb", "#fdf8e6", "#3f95a3", "#17506f"
ROCK, ROCK_LIGHT = "#41204f", "#c4485a"
CLOUD, CLOUD_LIGHT, CLOUD_DARK = "#6a2a6e", "#f0806a", "#3f1f5f"

# Distance from the sun, in pixels, and the colour of the sky there: the rays alternate between the two.
RAY_BRIGHT = ((200, "#fff0b0"), (330, "#ffc857"), (520, "#f5793a"), (760, "#b8325a"), (1050, "#4c2370"))
RAY_DARK = ((200, "#ffd877"), (330, "#f99a3c"), (520, "#d84a45"), (760, "#7a2263"), (1050, "#221653"))
SUN_TOP, SUN_BOTTOM = "#a80f2d", "#f0432a"
SUN = (476.0, 372.0)
SUN_RADIUS = 212.0
RAYS = 28
TRIDENT_AT, TRIDENT_LEAN = (476.0, 430.0), 5.0  # where its prongs meet; degrees clockwise


@dataclass(frozen=True)
class Canvas:
    """A picture under the brush, `SCALE` times as large as its coordinates say."""

    image: Image.Image = field(default_factory=lambda: Image.new("RGB", (WIDTH * SCALE, HEIGHT * SCALE)))

    def fill(self, shape: Curve, colour: Colour, outline: float = 0.0) -> None:
        """Fill a closed shape; `outline` is the width of the ink line around it."""
        corners = _scaled(shape)
        pen = ImageDraw.Draw(self.image)
        pen.polygon(corners, fill=colour)
        if outline:
            pen.line([*corners, *corners[:2]], fill=INK, width=round(outline * SCALE), joint="curve")

    def discs(self, centres: Curve, radii: Floats, colour: Colour) -> None:
        pen = ImageDraw.Draw(self.image)
        for (x, y), radius in zip(centres * SCALE, radii * SCALE, strict=True):
            pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)

    def blend(self, shape: Curve, top: Colour, bottom: Colour) -> None:
        """Fill a closed shape with a vertical gradient over its own height."""
        rows = np.arange(HEIGHT * SCALE, dtype=np.float64) / SCALE
        ramp = gradient(rows, ((shape[:, 1].min(), top), (shape[:, 1].max(), bottom)))
        column = Image.fromarray(ramp[:, None].astype(np.uint8))
        mask = Image.new("1", self.image.size)
        ImageDraw.Draw(mask).polygon(_scaled(shape), fill=1)
        self.image.paste(column.resize(self.image.size), mask=mask)


def _scaled(shape: Curve) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in shape * SCALE]


# Shapes


def rgb(colour: Colour) -> Floats:
    if isinstance(colour, tuple):
        return np.array(colour, dtype=np.float64)
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)], dtype=np.float64)


def gradient(position: Floats, stops: Sequence[tuple[float, Colour]]) -> Floats:
    """The colours at `position`, of any shape, between stops; the result has one more axis of length 3."""
    places = [place for place, _ in stops]
    colours = np.array([rgb(colour) for _, colour in stops])
    return np.stack([np.interp(position, places, channel) for channel in colours.T], axis=-1)


def mix(one: Colour, other: Colour, share: float) -> Colour:
    red, green, blue = (round(value) for value in rgb(one) * (1 - share) + rgb(other) * share)
    return red, green, blue


def points(*pairs: tuple[float, float]) -> Curve:
    return np.array(pairs, dtype=np.float64)


def smooth(*pairs: tuple[float, float], closed: bool = False, steps: int = 24) -> Curve:
    """A Catmull-Rom spline through the given points."""
    knots = points(*pairs)
    ends = (knots[-1:], knots[:2]) if closed else (2 * knots[:1] - knots[1:2], 2 * knots[-1:] - knots[-2:-1])
    padded = np.concatenate([ends[0], knots, ends[1]])
    t = np.linspace(0, 1, steps, endpoint=False)[:, None]
    pieces = []
    for a, b, c, d in zip(padded, padded[1:], padded[2:], padded[3:], strict=False):
        square, cube = 2 * a - 5 * b + 4 * c - d, 3 * b - a - 3 * c + d
        pieces.append(b + ((c - a) * t + square * t**2 + cube * t**3) / 2)
    return np.concatenate([*pieces, knots[:1] if closed else knots[-1:]])


def circle(centre: tuple[float, float], radius: float) -> Curve:
    angle = np.linspace(0, 2 * np.pi, 240, endpoint=False)
    return np.array(centre) + radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def ribbon(spine: Curve, left: Floats | float, right: Floats | float) -> Curve:
    """The closed shape between two lines that follow `spine`, `left` and `right` pixels away from it."""
    along = np.gradient(spine, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True) + 1e-9
    normal = np.stack([along[:, 1], -along[:, 0]], axis=1)
    one = spine + normal * np.broadcast_to(left, len(spine))[:, None]
    other = spine - normal * np.broadcast_to(right, len(spine))[:, None]
    return np.concatenate([one, other[::-1]])


def taper(spine: Curve, width: float, belly: float = 0.3) -> Floats:
    """Half-widths along `spine` of a lock of hair: full at `belly` (0 to 1), a point at the end."""
    t = np.linspace(0, 1, len(spine))
    swell = np.sin(np.pi / 2 * np.minimum(t / belly + 0.15, 1))
    return width / 2 * swell * np.clip((1 - t) / (1 - belly), 0, 1) ** 0.7


def spindle(spine: Curve, width: float, fullness: float = 0.5) -> Floats:
    """Half-widths along `spine` of a stroke that is thin at both ends; blunt ends for a small `fullness`."""
    return width / 2 * np.sin(np.pi * np.linspace(0, 1, len(spine))) ** fullness


def turned(shape: Curve, origin: tuple[float, float], degrees: float) -> Curve:
    """`shape`, drawn around (0, 0), turned clockwise and moved to `origin`."""
    angle = np.radians(degrees)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return np.asarray(shape @ turn + np.array(origin))


# Sky


def draw_sky(canvas: Canvas) -> None:
    """Rays of two kinds, each fading with its distance from the sun."""
    y, x = np.ogrid[0 : HEIGHT * SCALE, 0 : WIDTH * SCALE]
    dx, dy = x / SCALE - SUN[0], y / SCALE - SUN[1]
    is_bright = np.sin(np.arctan2(dy, dx) * RAYS + 0.6) > 0
    steps = np.arange(WIDTH + HEIGHT, dtype=np.float64)
    fades = np.stack([gradient(steps, RAY_DARK), gradient(steps, RAY_BRIGHT)]).astype(np.uint8)
    canvas.image.paste(Image.fromarray(fades[is_bright.astype(int), np.hypot(dx, dy).astype(int)]))


def draw_sun(canvas: Canvas) -> None:
    canvas.fill(circle(SUN, SUN_RADIUS + 30), INK)
    canvas.fill(circle(SUN, SUN_RADIUS + 26), GOLD)
    canvas.fill(circle(SUN, SUN_RADIUS + 14), INK)
    canvas.fill(circle(SUN, SUN_RADIUS + 9), FOAM)
    canvas.blend(circle(SUN, SUN_RADIUS), SUN_TOP, SUN_BOTTOM)


def draw_sun_bars(canvas: Canvas) -> None:
    """Bars of cloud across the sun."""
    for x, y, length, thick in ((380, 506, 330, 20), (200, 548, 330, 24), (520, 556, 330, 18)):
        bar = smooth((x, y), (x + length / 2, y - 3), (x + length, y))
        half = spindle(bar, thick)
        canvas.fill(ribbon(bar, half, half), CLOUD)
        canvas.fill(ribbon(bar, 0.0, 0.8 * half), CLOUD_LIGHT)


def draw_clouds(canvas: Canvas, random: np.random.Generator) -> None:
    """Two banks of cloud on the right, their edges lit from the upper left."""
    for left, level, size in ((930, 520, 62), (880, 590, 54)):
        x = np.arange(left, WIDTH + size, 0.8 * size)
        centres = np.stack([x, np.full(len(x), level)], axis=1)
        radii = size * random.uniform(0.6, 1.15, len(x))
        canvas.discs(centres, radii + 3.2, INK)
        canvas.discs(centres, radii, CLOUD_LIGHT)
        canvas.discs(centres + np.array([9, 11]), radii, CLOUD)
        canvas.discs(centres + np.array([20, 26]), radii * 0.8, CLOUD_DARK)


def draw_temple(canvas: Canvas) -> None:
    """A temple on a cape, small and far away, lit by the sun on its left."""
    cape = points(
        (636, 640), (654, 596), (676, 588), (684, 560),
        (700, 548), (800, 546), (840, 560), (900, 640),
    )  # fmt: skip
    canvas.fill(cape, ROCK, outline=3)
    for face in (
        points((654, 596), (676, 588), (690, 640), (636, 640)),
        points((684, 560), (700, 548), (722, 580), (712, 628), (698, 640)),
    ):
        canvas.fill(face, ROCK_LIGHT)
    canvas.fill(points((698, 548), (698, 541), (786, 541), (786, 548)), FOAM, outline=2.5)
    for x in range(704, 786, 14):
        canvas.fill(points((x, 541), (x, 507), (x + 7, 507), (x + 7, 541)), FOAM, outline=2)
    canvas.fill(points((697, 507), (697, 499), (787, 499), (787, 507)), FOAM, outline=2.5)
    canvas.fill(points((693, 499), (742, 478), (791, 499)), GOLD, outline=2.5)


def draw_gulls(canvas: Canvas) -> None:
    for x, y, span, tilt in (
        (712, 150, 62, -8),
        (790, 214, 40, 6),
        (676, 82, 34, -14),
        (176, 236, 56, 8),
        (112, 300, 30, -6),
    ):
        wings = smooth(
            (-1, 0.1), (-0.62, -0.3), (-0.25, -0.22), (0, 0.02),
            (0.28, -0.26), (0.64, -0.38), (1, -0.06),
        )  # fmt: skip
        breadth = 0.17 * np.sin(np.pi * np.linspace(0, 1, len(wings))) ** 0.8
        gull = turned(span * ribbon(wings, 0.02, breadth), (x, y), tilt)
        canvas.fill(gull, FOAM, outline=5)
        canvas.fill(gull, FOAM)
        canvas.fill(turned(span * ribbon(wings, -0.5 * breadth, breadth), (x, y), tilt), HAIR_DARK)


# Sea


def draw_foam(canvas: Canvas, centres: Curve, radii: Floats) -> None:
    """Overlapping discs as one scalloped body with an ink line around it, lit from the upper left."""
    canvas.discs(centres, radii + 3.2, INK)
    canvas.discs(centres, radii, FOAM_SHADE)
    canvas.discs(centres - 0.16 * radii[:, None], radii * 0.84, FOAM)


@dataclass(frozen=True)
class Swell:
    """One band of waves: trochoids, whose crests are sharp and whose troughs are wide."""

    level: float
    wavelength: float
    height: float
    phase: float
    top: Colour
    bottom: Colour
    line: Colour
    foam: float = 0.0  # radius of the foam at a crest
    sharpness: float = 0.86
    lean: float = 0.35

    def line_at(self, depth: float = 0.0) -> tuple[Curve, Floats]:
        """The surface, or the line `depth` pixels under it; and each point's angle: a crest is at 2πn."""
        angle = np.linspace(-4 * np.pi, 2 * np.pi * (WIDTH / self.wavelength + 2), 2400)
        uneven = 1 + 0.22 * np.sin(angle * 0.37 + self.phase * 5)
        swing = self.height * uneven * np.exp(-depth / (1.6 * self.height))
        sharpness = self.sharpness * np.exp(-depth / (2.2 * self.height))
        up = np.cos(angle) * swing / 2
        x = self.wavelength / (2 * np.pi) * (angle - sharpness * np.sin(angle)) + self.phase * self.wavelength
        x = x + self.lean * (up + swing / 2) ** 2 / self.height
        return np.stack([x, self.level + depth - up], axis=1), angle


def draw_swell(canvas: Canvas, swell: Swell, random: np.random.Generator) -> None:
    surface, _ = swell.line_at()
    body = np.concatenate([surface, points((WIDTH + 900, HEIGHT + 40), (-900, HEIGHT + 40))])
    canvas.blend(body, swell.top, swell.bottom)
    draw_carving(canvas, swell)
    canvas.fill(ribbon(surface, 2.0, 2.0), INK)
    if swell.foam:
        draw_crests(canvas, swell, random)


def draw_carving(canvas: Canvas, swell: Swell) -> None:
    """Lines under the surface, as a woodcutter's gouge leaves them, thick on the face of each wave."""
    step = 0.17 * swell.height + 5
    for row in range(1, 8):
        line, angle = swell.line_at(row * step)
        cut = np.clip(np.sin(angle - 0.25 + 0.15 * row) + 0.35, 0, None) * step * (0.24 - 0.02 * row)
        canvas.fill(ribbon(line, cut, cut), swell.line)


def draw_crests(canvas: Canvas, swell: Swell, random: np.random.Generator) -> None:
    """Foam that is thick on each crest and runs out along both of its sides."""
    surface, angle = swell.line_at()
    length = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(surface, axis=0), axis=1))])
    crests = np.arange(np.ceil(angle[0] / (2 * np.pi)), np.floor(angle[-1] / (2 * np.pi)))
    for crest in np.interp(2 * np.pi * crests, angle, length):
        t = np.linspace(-1, 1, 37)
        spots = crest + t * np.where(t < 0, 5.6, 3.8) * swell.foam
        centres = np.stack([np.interp(spots, length, surface[:, axis]) for axis in (0, 1)], axis=1)
        radii = swell.foam * (1 - np.abs(t) ** 0.8) * random.uniform(0.6, 1.1, len(t)) + 2.5
        centres[:, 1] += 0.55 * radii
        draw_foam(canvas, centres, radii)


def draw_great_wave(canvas: Canvas, random: np.random.Generator) -> None:
    """The breaker on the left: it climbs, hooks over to the right, and its lip breaks into claws of foam."""
    back = smooth((-40, 610), (10, 520), (76, 446), (160, 410), (242, 420), (300, 466), (318, 530))
    belly = smooth(
        (318, 530), (286, 502), (246, 496), (212, 528),
        (200, 600), (222, 700), (280, 790), (370, 880),
    )  # fmt: skip
    body = np.concatenate([back, belly, points((350, 1000), (-40, 1000))])
    canvas.blend(body, "#23a3ad", "#0a2a5c")
    for share in (0.0, 0.14, 0.3, 0.44, 0.58, 0.72, 0.86):
        inner = smooth((262, 482), (222, 490), (186, 530), (170, 606), (186, 706), (232, 800), (300, 900))
        outer = smooth((170, 430), (100, 456), (40, 520), (0, 600), (-20, 700), (-20, 820), (0, 960))
        stripe = inner * (1 - share) + outer * share
        colour = "#0a2a5c" if share == 0 else mix("#a5ead9", "#3fa6b8", share)
        canvas.fill(ribbon(stripe, spindle(stripe, 20, 0.8), 0.0), colour)
    canvas.fill(ribbon(np.concatenate([back, belly]), 2.5, 2.5), INK)
    lip = np.concatenate([back[24:], belly[:70]])
    spots = lip[np.linspace(0, len(lip) - 1, 80).astype(int)]
    radii = np.interp(np.arange(80), (0, 40, 60, 79), (5, 17, 14, 5)) * random.uniform(0.65, 1.2, 80)
    draw_foam(canvas, spots, radii)
    draw_claws(canvas, lip[170:96:-1], count=8, size=-64)
    draw_claws(canvas, lip[82:150], count=7, size=84)
    # The same foam over the roots of the claws joins them.
    canvas.discs(lip[82:170], np.full(88, 11.0), FOAM)


def draw_claws(canvas: Canvas, lip: Curve, count: int, size: float) -> None:
    """Hooked fingers of foam that grow out of a lip and fall; on its other side for a negative size."""
    along = np.gradient(lip, axis=0)
    outward = np.stack([along[:, 1], -along[:, 0]], axis=1) / np.linalg.norm(along, axis=1, keepdims=True)
    bend = ((0, 0), (0.45, 0.0), (0.8, 0.25), (0.78, 0.7))
    for number, place in enumerate(np.linspace(0, len(lip) - 1, count).astype(int)):
        reach = abs(size) * (1 if number % 2 else 0.7)
        out, down = np.sign(size) * outward[place], np.array([-0.1, 1.0])
        claw = smooth(*((x, y) for x, y in (lip[place] + reach * (a * out + b * down) for a, b in bend)))
        half = taper(claw, 0.36 * reach, 0.1)
        canvas.fill(ribbon(claw, half, half), FOAM, outline=3.2)
        canvas.fill(ribbon(claw, -0.2 * half, 0.9 * half), FOAM_SHADE)


def draw_spray(canvas: Canvas, random: np.random.Generator) -> None:
    """Drops that the wind tears off the great wave, many near its lip and few far away."""
    distance, angle = np.minimum(random.exponential(60, 70) + 40, 190), random.uniform(-1.3, 0.5, 70)
    centres = np.stack([300 + distance * np.cos(angle), 470 + distance * np.sin(angle)], axis=1)
    radii = random.uniform(2.5, 6.5, 70) * np.exp(-distance / 400)
    canvas.discs(centres, radii + 1.6, INK)
    canvas.discs(centres, radii, FOAM)


# The god


def draw_lock(canvas: Canvas, spine: Curve, width: float) -> None:
    """One lock of hair: its lit half, its shaded half and a strand between."""
    half = taper(spine, width)
    canvas.fill(ribbon(spine, half, half), HAIR, outline=3.2)
    canvas.fill(ribbon(spine, 0.2 * half, half * 0.9), HAIR_DARK)
    canvas.fill(ribbon(spine, half * 0.55, -half * 0.2), HAIR_LIGHT)


def draw_torso(canvas: Canvas) -> None:
    body = smooth(
        (690, 960), (694, 800), (712, 700), (764, 642), (850, 606), (900, 560),
        (1040, 540), (1090, 590), (1180, 622), (1252, 690), (1300, 800), (1310, 960),
    )  # fmt: skip
    canvas.blend(body, SKIN, SKIN_DARK)
    shade = smooth(
        (1020, 560), (1080, 640), (1060, 760), (1010, 960),
        (1310, 960), (1290, 780), (1180, 640), (1060, 560),
    )  # fmt: skip
    canvas.fill(shade, SKIN_DARK)
    muscle = smooth((1090, 640), (1150, 660), (1206, 730), (1216, 820), (1180, 760), (1130, 700), closed=True)
    canvas.fill(muscle, SKIN)
    canvas.fill(ribbon(body, 2.2, 2.2), INK)
    rim = smooth((700, 800), (714, 704), (766, 646), (852, 610))
    canvas.fill(ribbon(rim, -2.0, spindle(rim, 46)), RIM)


def draw_face(canvas: Canvas) -> None:
    """The profile, turned to the sun: lit along brow and nose, plum in the hollows."""
    brow_to_lip = smooth(
        (872, 300), (850, 318), (838, 350), (830, 374), (831, 390),
        (814, 420), (790, 448), (794, 462), (816, 466),
    )  # fmt: skip
    rest = smooth((806, 480), (806, 500), (830, 560), (920, 590), (1010, 540), (1020, 400), (1000, 300))
    earward = smooth(
        (930, 330), (960, 380), (950, 430), (900, 440), (876, 470),
        (870, 520), (1010, 560), (1030, 400), (1000, 320),
    )  # fmt: skip
    canvas.fill(np.concatenate([brow_to_lip, rest]), SKIN)
    for hollow in (
        earward,
        smooth((842, 388), (866, 378), (904, 386), (900, 404), (870, 414), (846, 410), closed=True),
        smooth((812, 452), (824, 440), (838, 452), (834, 464), (818, 462), closed=True),
    ):
        canvas.fill(hollow, SKIN_DARK)
    canvas.fill(ribbon(smooth((872, 424), (900, 420), (926, 404)), 4, 4), SKIN_LIGHT)
    canvas.fill(ribbon(brow_to_lip, 11.0, -1.0), RIM)
    canvas.fill(ribbon(brow_to_lip, 2.2, 2.2), INK)
    eye = smooth((846, 402), (860, 394), (882, 403), (862, 410), closed=True)
    canvas.fill(eye, FOAM, outline=3)
    canvas.fill(circle((858, 402), 6.5), INK)
    draw_lock(canvas, smooth((826, 388), (844, 372), (884, 360), (926, 380)), 30)


def draw_hair(canvas: Canvas) -> None:
    """Locks that the wind carries off to the right, the farthest first."""
    for spine, width in (
        (smooth((930, 300), (1020, 268), (1100, 330), (1170, 310), (1244, 336)), 64),
        (smooth((950, 450), (1000, 500), (1020, 580), (1080, 630), (1120, 700)), 64),
        (smooth((960, 400), (1030, 450), (1060, 530), (1130, 560), (1200, 626)), 70),
        (smooth((950, 370), (1040, 390), (1090, 460), (1160, 460), (1236, 530)), 72),
        (smooth((940, 330), (1040, 326), (1110, 390), (1180, 376), (1262, 434)), 74),
        (smooth((880, 300), (960, 250), (1040, 290), (1090, 370), (1150, 380)), 62),
    ):
        draw_lock(canvas, spine, width)


def draw_sidelocks(canvas: Canvas) -> None:
    """Hair in front of the ear, which hides the edge of the face."""
    mass = smooth(
        (930, 310), (1030, 300), (1046, 400), (1064, 520),
        (1000, 580), (960, 500), (944, 400), closed=True,
    )  # fmt: skip
    canvas.fill(mass, HAIR_DEEP, outline=4)
    for spine, width in (
        (smooth((1010, 300), (1034, 370), (1020, 430), (1060, 500), (1120, 524)), 56),
        (smooth((980, 306), (1002, 370), (986, 430), (1020, 500), (1076, 540)), 54),
        (smooth((954, 310), (968, 370), (950, 430), (982, 490), (1030, 540)), 48),
        (smooth((930, 314), (946, 360), (930, 404), (948, 450), (980, 480)), 38),
    ):
        draw_lock(canvas, spine, width)


def draw_beard(canvas: Canvas) -> None:
    """The beard falls into the sea in long waves; the moustache and the locks of the cheek lie over it."""
    for spine, width in (
        (smooth((970, 470), (1000, 560), (976, 640), (1000, 720), (1040, 770)), 66),
        (smooth((946, 480), (964, 570), (936, 650), (956, 730), (984, 790)), 68),
        (smooth((916, 490), (924, 580), (894, 660), (908, 740), (930, 800)), 68),
        (smooth((886, 500), (884, 580), (852, 660), (862, 740), (876, 790)), 66),
        (smooth((856, 500), (846, 580), (812, 650), (820, 720), (828, 770)), 60),
        (smooth((826, 496), (812, 560), (782, 620), (784, 680), (784, 730)), 50),
        (smooth((960, 440), (966, 510), (936, 570), (944, 630), (966, 670)), 50),
        (smooth((930, 450), (926, 520), (894, 570), (896, 630), (910, 664)), 48),
        (smooth((898, 466), (886, 530), (854, 570), (852, 620), (858, 650)), 46),
        (smooth((866, 480), (850, 530), (822, 566), (816, 606), (816, 630)), 42),
        (smooth((796, 474), (832, 464), (872, 484), (884, 530), (862, 580)), 42),
    ):
        draw_lock(canvas, spine, width)


def draw_crown(canvas: Canvas) -> None:
    band = smooth((840, 326), (900, 308), (970, 302), (1044, 314))
    for x, y, lean, height in (
        (860, 318, -24, 72),
        (908, 306, -9, 100),
        (960, 301, 6, 88),
        (1014, 308, 22, 68),
    ):
        tip = (x + lean, y - height)
        canvas.fill(points((x - 20, y), tip, (x + 20, y)), GOLD, outline=3.5)
        canvas.fill(points((x + 0.1 * lean, y), tip, (x + 19, y)), GOLD_DARK)
        canvas.discs(points(tip), np.array([9.5]), INK)
        canvas.discs(points(tip), np.array([6.5]), GOLD_LIGHT)
    canvas.fill(ribbon(band, 16, 16), GOLD, outline=3.5)
    canvas.fill(ribbon(band, 15, -8), GOLD_LIGHT)
    canvas.fill(ribbon(band, -9, 15), GOLD_DARK)
    for x, y in ((872, 317), (922, 307), (972, 303), (1018, 308)):
        canvas.fill(circle((x, y), 6.5), SUN_TOP, outline=2.5)
    draw_lock(canvas, smooth((1034, 290), (1080, 330), (1070, 400), (1120, 450), (1176, 450)), 56)


# The trident


def draw_bar(canvas: Canvas, spine: Curve, width: float) -> None:
    """A rod of gold along `spine`, in the trident's own coordinates: lit on the left, shaded on the right."""
    for left, right, colour, ink in (
        (1.0, 1.0, GOLD, 4.0),
        (-0.25, 0.95, GOLD_DARK, 0.0),
        (0.75, -0.3, GOLD_LIGHT, 0.0),
    ):
        shape = ribbon(spine, left * width / 2, right * width / 2)
        canvas.fill(turned(shape, TRIDENT_AT, TRIDENT_LEAN), colour, outline=ink)


def draw_point(canvas: Canvas, x: float, y: float, size: float) -> None:
    """A barbed point whose neck is at (x, y), in the trident's own coordinates."""
    head = points((0, -2.4), (0.95, 0.25), (0.3, 0), (-0.3, 0), (-0.95, 0.25)) * size + np.array([x, y])
    dark = points((0, -2.2), (0.85, 0.16), (0.25, -0.06), (0, -0.06)) * size + np.array([x, y])
    canvas.fill(turned(head, TRIDENT_AT, TRIDENT_LEAN), GOLD_LIGHT, outline=4)
    canvas.fill(turned(dark, TRIDENT_AT, TRIDENT_LEAN), GOLD_DARK)


def draw_trident(canvas: Canvas) -> None:
    draw_bar(canvas, smooth((0, 560), (0, 0), steps=60), 37)
    for side in (-1, 1):
        prong = smooth((0, -6), (side * 70, -16), (side * 118, -70), (side * 126, -150), (side * 112, -232))
        draw_bar(canvas, prong, 34)
        draw_point(canvas, side * 111, -226, 41)
    draw_bar(canvas, smooth((0, 0), (0, -280), steps=40), 37)
    draw_point(canvas, 0, -268, 48)
    for y, width, height in ((-8, 88, 32), (20, 66, 24), (42, 52, 20)):
        draw_bar(canvas, points((0, y + height / 2), (0, y), (0, y - height / 2)), width)


def draw_arm(canvas: Canvas) -> None:
    """The forearm that rises out of the sea behind the shaft."""
    arm = smooth((720, 930), (660, 820), (584, 738), (520, 690), (474, 668))
    half = np.interp(np.linspace(0, 1, len(arm)), (0, 0.35, 0.6, 0.85, 1), (84, 80, 60, 42, 44))
    canvas.fill(ribbon(arm, half, half), SKIN, outline=4)
    canvas.fill(ribbon(arm, 0.1 * half, half), SKIN_DARK)
    canvas.fill(ribbon(arm, -0.62 * half, half * 0.94), RIM)
    cuff = arm[46:62]
    canvas.fill(ribbon(cuff, 68, 68), GOLD, outline=4)
    canvas.fill(ribbon(cuff, -10, 68), GOLD_DARK)
    canvas.fill(ribbon(arm[52:56], 68, 68), GOLD_LIGHT)


def draw_fingers(canvas: Canvas) -> None:
    """Four fingers and a thumb, closed around the shaft."""
    for row in range(4):
        y = 630 + 26 * row
        finger = smooth((528, y + 12), (492, y - 6), (450, y - 8), (416, y + 8))
        half = spindle(finger, 34, 0.2)
        canvas.fill(ribbon(finger, half, half), SKIN, outline=4)
        canvas.fill(ribbon(finger, 0.9 * half, -0.35 * half), SKIN_DARK)
        canvas.fill(ribbon(finger, -0.35 * half, 0.85 * half), SKIN_LIGHT)
    thumb = smooth((560, 700), (536, 646), (506, 614), (456, 604))
    half = spindle(thumb, 40, 0.25)
    canvas.fill(ribbon(thumb, half, half), SKIN, outline=4)
    canvas.fill(ribbon(thumb, 0.85 * half, -0.1 * half), RIM)


def paint() -> Image.Image:
    canvas, random = Canvas(), np.random.default_rng(SEED)
    draw_sky(canvas)
    draw_sun(canvas)
    draw_sun_bars(canvas)
    draw_clouds(canvas, random)
    draw_temple(canvas)
    draw_gulls(canvas)
    draw_swell(canvas, Swell(612, 150, 26, 0.1, "#2a86a0", "#0d3166", "#5fb7bf"), random)
    draw_swell(canvas, Swell(652, 210, 46, 0.05, "#1b7f97", "#0c2c63", "#55b9bd", foam=8), random)
    draw_hair(canvas)
    draw_torso(canvas)
    draw_face(canvas)
    draw_sidelocks(canvas)
    draw_beard(canvas)
    draw_crown(canvas)
    draw_arm(canvas)
    draw_spray(canvas, random)
    draw_trident(canvas)
    draw_fingers(canvas)
    draw_swell(canvas, Swell(752, 310, 74, 0.03, "#1690a0", "#0b2a60", "#6fcfc8", foam=14), random)
    draw_great_wave(canvas, random)
    draw_swell(canvas, Swell(846, 390, 90, 0.79, "#137a95", "#091f4e", "#58bfc4", foam=19), random)
    draw_swell(canvas, Swell(930, 480, 90, 0.2, "#0f5480", "#071538", "#3a9db3", foam=23), random)
    return canvas.image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)


def main() -> None:
    output = Path(sys.argv[1]) if len(sys.argv) > 1 else OUTPUT
    if output.is_dir() or not output.parent.is_dir():
        sys.exit(f"expected OUTPUT to be a file in an existing folder, got {output}; name another path")
    paint().save(output, "JPEG", quality=92)


if __name__ == "__main__":
    main()
