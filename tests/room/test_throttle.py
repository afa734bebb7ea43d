"""The pace at which a room gets what kernels need."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from triton_workshop.room.limits import Throttle


class Clock(asyncio.SelectorEventLoop):
    """An event loop whose time passes only in sleeps: those are over at once."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 1000.0

    def time(self) -> float:
        return self.now

    def call_later(self, delay, callback, *arguments, context=None):  # type: ignore[no-untyped-def]
        self.now += delay
        return self.call_soon(callback, *arguments, context=context)


def seconds_of(sizes: list[int], pause: float = 0.0) -> list[float]:
    """When each of these was let through, at 100 bytes per second and 50 at once; `pause` lies before the last."""
    loop, throttle, times = Clock(), Throttle(100, 50), list[float]()
    began = loop.time()

    async def ask() -> None:
        for number, size in enumerate(sizes, 1):
            if number == len(sizes):
                loop.now += pause
            await throttle.acquire(size)
            times.append(round(loop.time() - began, 6))

    try:
        loop.run_until_complete(ask())
    finally:
        loop.close()
    return times


def test_what_comes_first_need_not_wait() -> None:
    assert seconds_of([20, 20, 20]) == [0, 0, 0]


def test_more_than_that_waits_for_its_turn() -> None:
    assert seconds_of([50, 100, 100, 10]) == [0, 0, 1, 2]


def test_after_a_pause_the_next_ones_need_not_wait_again() -> None:
    assert seconds_of([50, 100, 100, 10], pause=5.0)[-1] == 6.0


def test_a_room_that_asks_at_once_is_served_in_turns() -> None:
    loop, throttle, ended = Clock(), Throttle(100, 50), list[int]()

    async def one(number: int) -> None:
        await throttle.acquire(100)
        ended.append(number)

    async def all_of_them() -> None:
        await asyncio.gather(*(one(number) for number in range(5)))

    loop.run_until_complete(all_of_them())
    loop.close()
    assert ended == [0, 1, 2, 3, 4]


def test_who_no_longer_waits_has_used_nothing() -> None:
    loop, throttle = Clock(), Throttle(100, 50)
    began = loop.time()

    async def drop_a_thousand() -> float:
        dropped = [asyncio.create_task(throttle.acquire(1000, each % 3)) for each in range(1000)]
        await asyncio.sleep(0)
        for task in dropped:
            task.cancel()
        await asyncio.gather(*dropped, return_exceptions=True)
        await throttle.acquire(50, "Ada")
        return loop.time() - began

    waited = loop.run_until_complete(drop_a_thousand())
    loop.close()
    assert waited <= 3 * 1000 / 100, "what had its turn before anything was dropped"
    assert not throttle._locks


def served_in_turns(*asking: tuple[str, ...]) -> list[tuple[str, ...]]:
    """In which order those who ask at once are served."""
    loop, throttle, served = Clock(), Throttle(100, 50), list[tuple[str, ...]]()

    async def one(who: tuple[str, ...]) -> None:
        await throttle.acquire(100, *who)
        served.append(who)

    async def all_of_them() -> None:
        await asyncio.gather(*map(one, asking))

    loop.run_until_complete(all_of_them())
    loop.close()
    assert not throttle._locks
    return served


def test_who_asks_for_much_waits_for_the_turns_of_others() -> None:
    served = [who for (who,) in served_in_turns(*[("Mallory",)] * 50, *[("Ada",)] * 3, *[("Bob",)] * 2)]
    assert served[0] == "Mallory", "who came first, when nobody waited"
    assert served[1:9] == ["Mallory", "Ada", "Bob", "Mallory", "Ada", "Bob", "Mallory", "Ada"]


def test_a_laptop_with_many_sessions_has_one_turn_for_all_of_them() -> None:
    laptop = [("10.0.0.66", f"Mallory {number}") for number in range(50)]
    served = served_in_turns(*laptop, *[("10.0.0.2", "Ada")] * 3, ("10.0.0.3", "Bob"))
    assert [name for _, name in served[2:7]] == ["Ada", "Bob", "Mallory 2", "Ada", "Mallory 3"]


def test_behind_one_address_sessions_take_turns() -> None:
    """As behind a tunnel."""
    served = served_in_turns(*[("127.0.0.1", "Mallory")] * 50, *[("127.0.0.1", each) for each in ("Ada", "Bob")] * 2)
    assert [name for _, name in served[2:7]] == ["Ada", "Bob", "Mallory", "Ada", "Bob"]
