"""JSON Schema: where schemas come from, what they accept, and where they go."""
