"""GPUs of a room, which Ray schedules.

A sandbox contains each script.
"""
