"""A server that offers HTTP/2 and answers a request when as many are waiting as it was told to wait for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import ConnectionTerminated, DataReceived, RequestReceived, StreamEnded

from tests.servers.unruly import OK, receive, says, server_tls


@dataclass
class Two:
    """The server: how many connections it had of each kind, and which streams wait for an answer."""

    together: int
    connections: list[str] = field(default_factory=list)
    waiting: list[tuple[H2Connection, asyncio.StreamWriter, int]] = field(default_factory=list)
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    url: str = ""

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Have one connection, to its end."""
        chosen = writer.get_extra_info("ssl_object").selected_alpn_protocol() or "http/1.1"
        self.connections.append(chosen)
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            if chosen == "h2":
                await self._multiplexed(reader, writer)
            else:
                await receive(reader)
                await says()(None, writer)  # type: ignore[arg-type]  # this one has no use for its server
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()

    async def _multiplexed(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        http = H2Connection(H2Configuration(client_side=False))
        http.initiate_connection()
        writer.write(http.data_to_send())
        while octets := await reader.read(65536):
            for event in http.receive_data(octets):
                match event:
                    case RequestReceived() | ConnectionTerminated():
                        pass
                    case DataReceived(flow_controlled_length=length, stream_id=number) if length:
                        http.acknowledge_received_data(length, number or 0)
                    case StreamEnded(stream_id=number):
                        self.waiting.append((http, writer, number or 0))
                        self.asked.set()
                    case _:
                        pass
            if len(self.waiting) >= self.together:
                self._answer()
            writer.write(http.data_to_send())
            await writer.drain()

    def _answer(self) -> None:
        for http, writer, number in self.waiting:
            http.send_headers(number, [(":status", "200"), ("content-type", "application/json")])
            http.send_data(number, OK, end_stream=True)
            writer.write(http.data_to_send())
        self.waiting.clear()


@asynccontextmanager
async def two(*, together: int = 1) -> AsyncIterator[Two]:
    """Serve for the length of a block."""
    server = Two(together)
    context = server_tls()
    context.set_alpn_protocols(["h2", "http/1.1"])
    listening = await asyncio.start_server(server.talk, "127.0.0.1", 0, ssl=context)
    server.url = f"https://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    try:
        yield server
    finally:
        listening.close()
