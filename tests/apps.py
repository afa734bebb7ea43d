"""Textual apps on a screen that is not there, driven by keys and looked at as text."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from textual.app import App
from textual.pilot import Pilot

Driven = TypeVar("Driven", bound=App[Any])
SIZE = (80, 24)


def driven(
    make: Callable[[], Driven],
    steps: Callable[[Driven, Pilot[int]], Awaitable[None]],
    close: Callable[[Driven], None],
    size: tuple[int, int] = SIZE,
    *,
    notifications: bool = False,
) -> Driven:
    """Makes an app in an event loop of its own, drives it for at most a minute, and closes what it has started."""

    async def show() -> Driven:
        app = make()
        try:
            async with on_screen(app, size, notifications=notifications) as pilot:
                await steps(app, pilot)
        finally:
            close(app)
        return app

    return asyncio.run(asyncio.wait_for(show(), 60))


@asynccontextmanager
async def on_screen(
    app: App[Any], size: tuple[int, int] = SIZE, *, notifications: bool = False
) -> AsyncIterator[Pilot[Any]]:
    async with app.run_test(size=size, notifications=notifications) as pilot:
        await pilot.pause()
        yield pilot


async def until(pilot: Pilot[Any], condition: Callable[[], bool]) -> None:
    """Lets the app go on until something holds; `driven`, or the test's own limit, ends a vain wait."""
    while not condition():
        await pilot.pause(0.01)


def screen(app: App[Any]) -> str:
    """What somebody sees, as text."""
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())
