"""What the user of `workshop pack` has asked for and cannot have."""

from __future__ import annotations

from triton_workshop.errors import WorkshopError


class MisuseError(WorkshopError):
    """A command that was misused; the message says how."""
