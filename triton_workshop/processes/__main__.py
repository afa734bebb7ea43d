"""`python -m triton_workshop.processes SCRIPT`: see `command`."""

from triton_workshop.processes.command import main

main()
