"""The house itself: what is exported, documented, promised, and of what shape it is."""
