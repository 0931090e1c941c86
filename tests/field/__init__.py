"""What was read by hand in public trees, against what the analyser finds there: `docs/field-report.md` and its data."""
