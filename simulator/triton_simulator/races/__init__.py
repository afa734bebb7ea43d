"""Relations between programs.

Programs that must wait for others, did not, or wait for ever are found here.
"""
