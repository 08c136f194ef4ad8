"""Where settings come from, and which of them hold."""
