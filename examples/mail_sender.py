"""An assistant that writes mails and sends each one only after you have read it.

SMTP_HOST=localhost SMTP_FROM=me@example.org python examples/mail_sender.py "Tell ann@example.org that I am late."
"""

from __future__ import annotations

import os
import smtplib
import sys
from email.message import EmailMessage
from email.utils import make_msgid
from typing import Annotated, NamedTuple

import toolwright as tw

Address = Annotated[str, tw.Meta(description="name@example.org", pattern=r"^[^@\s,]+@[^@\s,]+$", max_length=254)]


class Mailbox(NamedTuple):
    """Where mails leave, and in whose name; the application's, not the model's."""

    sender: str
    host: str = "localhost"
    port: int = 25


# No rule, and no answer once given, replaces reading: `requires_confirmation` asks for each mail.
@tw.tool(category="communication", risk="high", requires_confirmation=True, max_execution_time=30)
def send_mail(to: Address, subject: str, text: str, mailbox: Annotated[Mailbox, tw.Service]) -> str:
    """Send a mail to one person."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = mailbox.sender, to, " ".join(subject.split())
    mail["Message-ID"] = make_msgid(domain=mailbox.sender.rpartition("@")[2])
    mail.set_content(text)
    with smtplib.SMTP(mailbox.host, mailbox.port, timeout=20) as server:
        server.send_message(mail)
    return f"Sent to {to}"


def mail_sender(llm: tw.ChatProvider, mailbox: Mailbox, reviewer: tw.Reviewer | None = None) -> tw.Agent:
    """Return an assistant that may send mails from this mailbox; without a reviewer, the terminal is asked."""
    tools = tw.Registry([send_mail])
    executor = tw.Executor(tools, reviewer=reviewer or tw.ConsoleReviewer(), services={Mailbox: mailbox})
    return tw.Agent(llm, tools, system="You write short, friendly mails. Never invent an address.", executor=executor)


if __name__ == "__main__":
    if len(sys.argv) != 2 or "SMTP_FROM" not in os.environ:
        raise SystemExit(__doc__)
    mailbox = Mailbox(os.environ["SMTP_FROM"], os.environ.get("SMTP_HOST", "localhost"))
    run = mail_sender(tw.provider(), mailbox).run_sync(sys.argv[1])
    print(run.text or f"{run.status}: {run.error}")
