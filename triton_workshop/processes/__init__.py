"""The only way to start code.

A script or a function runs in a fork of a warm parent, in a prepared process or in a new one.

- `runner.Runner` starts it, and ends with all that it has started. A `run.Run` is a script: bytes come out, and an
  outcome. A `call.Call` is a function: it sends messages, which `wire` carries. Both are a `process.RunningProcess`.
- `warm` finds or starts the parent of a fork, `parent` is that process, `execution` how a process becomes a script, and
  `modes` says which parent a script needs. `process` starts new ones.
- Where nothing can fork, `prepared` is a process that waits for a script, and `spares` keeps such processes ready.
  `starters` chooses for both kinds of machine. `preload` is what warm processes import, `idle` how long they wait.
- `languages` has the file and the command of a script, `locations` how its output names its own lines.
- `call` has the time limit of functions and of what runs in this process. `reaper` ends what outlives its owner.
- `command` is `workshop run`.

There is no screen. This module imports nothing, because somebody waits for `python -m triton_workshop.processes`.
"""
