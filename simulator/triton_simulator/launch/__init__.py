"""Launches from beginning to end.

This covers the arguments of kernels, the groups in which programs run, and the report.
"""
