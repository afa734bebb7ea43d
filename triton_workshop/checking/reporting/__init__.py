"""What a learner sees of a verdict, and how far they have come."""
