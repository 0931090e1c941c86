"""pause_lint finds, and mends, a pause of generation that is not undone on every path out of a function."""

__version__ = "0.1.0"
