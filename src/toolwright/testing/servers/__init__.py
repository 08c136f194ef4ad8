"""Servers that speak each provider's interface from a script: for tests of whatever asks a model over HTTP.

Written from the interfaces' documents, and held against the providers' own clients. A request that the real one would
refuse is refused here as well, in its words' form.

====================  ============================================================================
``server``            :class:`ScriptedServer`: one server on loopback for all of them
``http``              requests read, answers written                                 (no interface)
``interface``         what an interface is to the server, and which there are
``openai_chat`` ...   one file for each interface; none knows another, nor a codec
====================  ============================================================================
"""

from __future__ import annotations

from toolwright.testing.servers.http import ServerRequest
from toolwright.testing.servers.server import ScriptedServer

__all__ = ["ScriptedServer", "ServerRequest"]
