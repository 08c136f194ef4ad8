"""A real SMTP server on loopback that keeps what it is sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Final

_ANSWERS: Final = {b"EHLO": b"250 here", b"HELO": b"250 here", b"RSET": b"250 fine", b"NOOP": b"250 fine"}


class MailServer:
    """``received`` are envelopes and mails: from whom, to whom, and what. It does not take who is ``refused``."""

    def __init__(self) -> None:
        self.port = 0
        self.received: list[tuple[str, list[str], EmailMessage]] = []
        self.refused: set[str] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Hold one conversation."""
        sender, recipients = "", list[str]()
        writer.write(b"220 here\r\n")
        while line := await reader.readline():
            verb, _, rest = line.strip().partition(b" ")
            address = rest.decode().partition("<")[2].partition(">")[0]
            match verb.upper():
                case b"MAIL":
                    sender, recipients = address, []
                    answer = b"250 fine"
                case b"RCPT" if address in self.refused:
                    answer = b"550 nobody of that name"
                case b"RCPT":
                    recipients.append(address)
                    answer = b"250 fine"
                case b"DATA":
                    writer.write(b"354 go on\r\n")
                    content = await reader.readuntil(b"\r\n.\r\n")
                    mail = message_from_bytes(content[:-3], policy=default)
                    self.received.append((sender, recipients, mail))
                    answer = b"250 taken"
                case b"QUIT":
                    writer.write(b"221 bye\r\n")
                    break
                case other:
                    answer = _ANSWERS.get(other, b"502 unknown")
            writer.write(answer + b"\r\n")
        writer.close()


@asynccontextmanager
async def mail_server() -> AsyncIterator[MailServer]:
    """Listen for the length of a test."""
    mails = MailServer()
    server = await asyncio.start_server(mails.serve, "127.0.0.1", 0)
    mails.port = server.sockets[0].getsockname()[1]
    async with server:
        yield mails
