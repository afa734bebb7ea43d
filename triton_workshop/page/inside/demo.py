"""Demonstration of a right script on a picture.

The picture is the workshop's, or the reader's own.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import torch

from triton_workshop.checking.observing.child import load
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.images import as_pil, load_image
from triton_workshop.page.encoding import UNREADABLE
from triton_workshop.page.inside.time_limit import TimeIsUpError, time_limit
from triton_workshop.repository import PICTURE

WIDTH = 320
"""Width in pixels to which a picture is scaled."""
LIMIT_SECONDS = 20.0


def demonstrate(exercise: Exercise, file: Path, text: str, photo: bytes = b"") -> dict[str, Any]:
    """Return the picture and the script's results, or a problem in words.

    The bytes of each have three for each pixel, as base64.
    """
    assert exercise.demo is not None, "exercises without one have no picture to ask for"
    picture = PICTURE
    if photo:
        picture = file.with_name("photo")
        picture.write_bytes(photo)
    try:
        image = load_image(picture, WIDTH)
    except UNREADABLE:
        return {"problem": "This file is no picture that the page can read. JPEG, PNG and WebP are."}
    try:
        with time_limit(LIMIT_SECONDS, str(file).__eq__):
            results = exercise.demo.render(load(Source(file, text, exercise)), image)
    except (Exception, TimeIsUpError) as error:
        return {"problem": f"Your kernel did not get through this picture: {error}"}
    captions = exercise.demo.caption.split(", ")
    return {"pictures": [_pixels(*each) for each in zip(captions, (image, *results), strict=True)]}


def _pixels(caption: str, picture: torch.Tensor) -> dict[str, Any]:
    shown = as_pil(picture)
    rgb = base64.b64encode(shown.convert("RGB").tobytes()).decode()
    return {"caption": caption, "width": shown.width, "height": shown.height, "rgb": rgb}
