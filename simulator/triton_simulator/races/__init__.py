"""Relations between programs.

This finds who must wait for whom, who did not, and who waits for ever.
"""
