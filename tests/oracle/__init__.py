"""The oracle: random functions, executed under every outcome, against what the analysis says of them."""
