"""Source with the expected findings in comments on their lines, a module for each paragraph of what is understood."""
