"""Processes killed while they write, and files that cannot be written."""
