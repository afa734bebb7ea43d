"""What is wrong with a script, from its text and from what it was seen to do."""
