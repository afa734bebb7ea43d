"""`python -m triton_workshop.runner SCRIPT`: see `command`."""

from triton_workshop.runner.command import main

main()
