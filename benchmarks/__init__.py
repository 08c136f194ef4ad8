"""How fast Toolwright is, as ratios to the least code that could do the same.

``make bench`` runs everything; each room has a module here, found by itself.
"""
