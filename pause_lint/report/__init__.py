"""How a report is shown: one file for each format. Each is a pure function from a report to text."""
