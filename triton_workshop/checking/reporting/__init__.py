"""Reports for learners: verdicts, and their progress."""
