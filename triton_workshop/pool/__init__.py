"""The GPUs of a room: Ray schedules them, and a sandbox contains each script."""
