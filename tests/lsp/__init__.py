"""The language server, as an editor knows it."""
