"""Same input, same output, byte for byte."""
