"""The process in which a script is measured, or counted where a process cannot fork.

`python -m triton_workshop.bench.child NUMBER FILE LIMIT [cuda]`.
"""

from __future__ import annotations

import sys
import warnings

from triton_workshop.bench.bench import sources_of
from triton_workshop.checking.child import Channel, load, started_with
from triton_workshop.checking.exercise import Exercise
from triton_workshop.checking.observe import Failure, Observation, failure_of
from triton_workshop.checking.source import Source
from triton_workshop.checking.watchdog import watchdog


def measure_script(exercise: Exercise, source: Source, channel: Channel, *, limit: float) -> None:
    """On the GPU: time the script's launcher and the solutions' beside PyTorch, and send what comes of it."""
    import torch
    import triton

    from triton_workshop.bench.measuring import instruments_of_the_gpu, measure
    from triton_workshop.bench.results import Machine

    def last_words(line: int | None) -> None:
        channel.send(Observation(timed_out=True, failure=Failure("Timeout", "", line)))

    with watchdog(limit, source.file, last_words):
        try:
            torch.backends.cudnn.allow_tf32 = False  # as accurate as ours, or it is no comparison
            warnings.filterwarnings("ignore", module=r"torch\.")  # advice to whom calls PyTorch, which we do
            launchers = {name: load(each, exercise.launcher) for name, each in sources_of(exercise, source).items()}
            versions = {"PyTorch": torch.__version__, "CUDA": str(torch.version.cuda), "Triton": triton.__version__}
            channel.send(Machine(torch.cuda.get_device_name(), versions))
            for report in measure(exercise, launchers, instruments_of_the_gpu()):
                channel.send(report)
        except BaseException as error:
            channel.send(Observation(failure=failure_of(error, source.file)))
    channel.done()


def main() -> None:
    exercise, source, channel, limit = started_with()
    if sys.argv[4:] == ["cuda"]:
        measure_script(exercise, source, channel, limit=limit)
        return
    from triton_workshop.bench.counting import count_script
    from triton_workshop.bench.workloads import WORKLOADS
    from triton_workshop.checking.trial import prepare

    prepare()
    count_script(exercise, source, WORKLOADS[exercise.number].counted, channel, limit=limit)


if __name__ == "__main__":
    main()
