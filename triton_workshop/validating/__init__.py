"""Tells whether a deck can be presented on this machine: everything it refers to exists, and every block runs.

validation = validate(Path("slides/triton-workshop.md"))
"""

from triton_workshop.validating.blocks import Rules
from triton_workshop.validating.validate import NoSuchSlideError, validate
from triton_workshop.validating.validation import BlockResult, SlideResult, Validation

__all__ = ["BlockResult", "NoSuchSlideError", "Rules", "SlideResult", "Validation", "validate"]
