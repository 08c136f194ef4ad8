"""Servers for tests: real sockets on loopback.

``unruly`` breaks every rule that a server can break, ``two`` speaks HTTP/2. Servers that keep the rules of each API are
in ``toolwright.testing``, for everybody.
"""
