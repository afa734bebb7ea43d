"""Validation of a deck: can it be presented on this machine?

Everything that it refers to must exist, and every block must run. `validate(path)` returns a `Validation`.
"""

from triton_workshop.validating.blocks import Rules
from triton_workshop.validating.validate import NoSuchSlideError, validate
from triton_workshop.validating.validation import BlockResult, SlideResult, Validation

__all__ = ["BlockResult", "NoSuchSlideError", "Rules", "SlideResult", "Validation", "validate"]
