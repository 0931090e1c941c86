"""What makes parts of the documentation and of the package from the code. Nothing here is installed."""
