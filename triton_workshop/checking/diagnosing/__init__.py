"""Searches for the mistake of a script.

The script is run again, with changes, until one of them shows which mistake it is and where.
"""
