"""A stand-in for the process that speaks to the GPUs, which speaks as that does and needs neither Ray nor a GPU.

Its address is a folder. While that has a file `hold`, no job is answered; `jobs` has a line for each job that came. A
script that is the exercise's solution is right, and a comment in it makes the stand-in misbehave.
"""

from __future__ import annotations

import ast
import os
import threading
import time
from contextlib import suppress
from pathlib import Path

from triton_workshop.attendance.jobs import Answer, Answered, Cancel, Job, Lost, Outcome, PoolStatus, Times
from triton_workshop.processes.wire import Connection
from triton_workshop.repository import ROOT
from triton_workshop.room.messages import GpuPool

GPU = "Stand-in GPU"
SLOTS = 2
DIES, DIES_ONCE, LOST_ONCE = "# dies", "# dies once", "# is lost once"
TWICE, SILENT, GARBAGE = "# answers twice", "# is silent", "# is garbage"


def pool_at(folder: Path) -> GpuPool:
    """The stand-in with this folder."""
    folder.mkdir(exist_ok=True)
    return GpuPool(str(folder), "tests.room.stand_in:serve_jobs")


def jobs_of(pool: GpuPool) -> list[str]:
    """Identifiers of the jobs that have come, once for each time."""
    file = Path(pool.address, "jobs")
    return file.read_text().split() if file.exists() else []


def serve_jobs(connection: Connection, address: str) -> None:
    """Answer jobs until the connection ends."""
    folder = Path(address)
    cancelled = set[str]()
    connection.send(PoolStatus((GPU,), SLOTS))

    def work(job: Job) -> None:
        while (folder / "hold").exists() and job.id not in cancelled:
            time.sleep(0.01)
        if DIES_ONCE in job.text:
            with suppress(FileExistsError):
                (folder / "died").touch(exist_ok=False)
                os._exit(1)
        elif LOST_ONCE in job.text and not (folder / "lost").exists():
            (folder / "lost").touch()
            return connection.send(Lost(job.id, "Its process has ended."))
        elif DIES in job.text:
            os._exit(1)
        if SILENT in job.text:
            return
        answer = Answer(Outcome.CANCELLED, "Cancelled.") if job.id in cancelled else answer_to(job)
        connection.send(Answered(job.id, answer))
        if TWICE in job.text:
            connection.send(Answered(job.id, Answer(Outcome.FAILED, "A second answer.")))

    with suppress(EOFError, OSError):
        while True:
            match connection.receive():
                case Job() as job:
                    with (folder / "jobs").open("a") as file:
                        file.write(f"{job.id}\n")
                    threading.Thread(target=work, args=(job,), daemon=True).start()
                case Cancel(id):
                    cancelled.add(id)


def answer_to(job: Job) -> Answer:
    """The answer to a job whose script is right if it is the solution."""
    if GARBAGE in job.text:
        return Answer(Outcome.CORRECT, "Right.", GPU, None, Times("4096", float("nan"), 0.0, 1.0, 1.0))
    if not is_solution(job):
        finding = {
            "kind": "wrong-values",
            "line": 45,
            "source": "        b_ptrs += BLOCK_SIZE_K * stride_bn",
            "message": "33,017,856 of 33,554,432 elements are wrong",
            "hints": [
                "Along which dimension of B does k move?",
                "The solution has:\nb_ptrs += BLOCK_SIZE_K * stride_bk",
            ],
            "case": "8192x4096x4096",
        }
        cases = [{"name": "4096x4096x4096", "passed": True}, {"name": "8192x4096x4096", "passed": False}]
        verdict = {"passed": False, "findings": [finding], "cases": cases, "remarks": []}
        return Answer(
            Outcome.WRONG, "33,017,856 of 33,554,432 elements are wrong (in line 45 with 8192x4096x4096).", GPU, verdict
        )
    verdict = {"passed": True, "findings": [], "cases": [{"name": "4096x4096x4096", "passed": True}], "remarks": []}
    times = Times("4096x4096x4096, float16", 0.412, 0.183, 0.4, 0.21) if job.timed else None
    return Answer(Outcome.CORRECT, f"Correct in all 3 cases on {GPU}.", GPU, verdict, times)


def is_solution(job: Job) -> bool:
    """Whether a script is the solution but for comments and white space."""
    solution = ROOT / "solutions" / f"exercise_{job.exercise}.py"
    with suppress(SyntaxError):
        return ast.dump(ast.parse(job.text)) == ast.dump(ast.parse(solution.read_text(encoding="utf-8")))
    return False
