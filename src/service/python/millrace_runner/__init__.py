"""Runs notebooks for the local service. Standard library only, Python 3.8 or newer."""
