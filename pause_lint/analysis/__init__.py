"""What functions do to the engines they pause: events, guards, graphs, flow, and the program as a whole."""
