"""The command line, as a shell, a pipe and a person at a terminal meet it."""
