"""A trainer and an inference server in miniature: two processes, one pair, and nobody who resumes on the disk path."""
