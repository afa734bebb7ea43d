"""What learners see of a verdict, and how far they have come."""
