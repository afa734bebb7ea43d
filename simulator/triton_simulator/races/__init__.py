"""What programs do to each other: who must wait for whom, who did not, and who waits for ever."""
