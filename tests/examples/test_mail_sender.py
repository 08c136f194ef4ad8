from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

import toolwright as tw
from examples.mail_sender import Mailbox, mail_sender
from tests.examples.mail_server import MailServer, mail_server
from toolwright.testing import FakeReviewer, ScriptedProvider

ME = "me@example.org"


@pytest.fixture
async def server() -> AsyncIterator[MailServer]:
    async with mail_server() as mails:
        yield mails


def mailbox(server: MailServer) -> Mailbox:
    return Mailbox(ME, "127.0.0.1", server.port)


def mail(to: str = "ann@example.org", subject: str = "Late", text: str = "I come at six.\nÅse") -> tw.ToolCall:
    return tw.ToolCall.new("send_mail", to=to, subject=subject, text=text)


async def test_a_mail_that_was_read_and_approved_is_sent(server: MailServer) -> None:
    llm = ScriptedProvider([mail(), "Ann knows now."])
    reviewer = FakeReviewer(tw.Decision.approve())
    run = await mail_sender(llm, mailbox(server), reviewer).run("Tell ann@example.org that I am late.")
    assert (run.status, run.text) == ("completed", "Ann knows now.")
    [(sender, recipients, sent)] = server.received
    assert (sender, recipients) == (ME, ["ann@example.org"])
    assert (sent["Subject"], sent["From"], sent["To"]) == ("Late", ME, "ann@example.org")
    assert sent.get_content().splitlines() == ["I come at six.", "Åse"]
    assert reviewer.requests[0].arguments["text"] == "I come at six.\nÅse"


async def test_each_mail_is_asked_for_and_a_denied_one_is_not_sent(server: MailServer) -> None:
    llm = ScriptedProvider([[mail("ann@example.org"), mail("bob@example.org")], "Only Ann was told."])
    reviewer = FakeReviewer(tw.Decision.approve(remember="session"), tw.Decision.deny("not to Bob"))
    run = await mail_sender(llm, mailbox(server), reviewer).run("Tell Ann and Bob.")
    assert [execution.status for execution in run.executions] == ["completed", "denied"]
    assert [recipients for _, recipients, _ in server.received] == [["ann@example.org"]]
    assert "not to Bob" in (run.conversation.messages[-2].content or "")


async def test_a_reviewer_that_fails_lets_nothing_be_sent(server: MailServer) -> None:
    llm, reviewer = ScriptedProvider([mail(), "It was not sent."]), FakeReviewer(RuntimeError("no terminal"))
    run = await mail_sender(llm, mailbox(server), reviewer).run("Tell Ann.")
    assert run.executions[0].status == "denied"
    assert server.received == []


@pytest.mark.parametrize("to", ["ann@example.org, bob@example.org", "Ann", "ann@example.org\nBcc: bob@example.org"])
async def test_what_is_not_one_address_is_no_recipient(server: MailServer, to: str) -> None:
    llm = ScriptedProvider([mail(to), "That is no address."])
    run = await mail_sender(llm, mailbox(server), FakeReviewer()).run("Tell them.")
    assert [execution.outcome.error_code for execution in run.executions] == ["validation_failed"]
    assert server.received == []


async def test_a_subject_adds_no_header(server: MailServer) -> None:
    llm = ScriptedProvider([mail(subject="Hello\r\nBcc: bob@example.org"), "Sent."])
    await mail_sender(llm, mailbox(server), FakeReviewer(tw.Decision.approve())).run("Tell Ann.")
    [(_, recipients, sent)] = server.received
    assert recipients == ["ann@example.org"]
    assert sent["Subject"] == "Hello Bcc: bob@example.org"
    assert sent["Bcc"] is None


async def test_a_mail_that_the_server_does_not_take_is_told_to_the_model(server: MailServer) -> None:
    server.refused = {"ann@example.org"}
    llm = ScriptedProvider([mail(), "Nobody of that name."])
    run = await mail_sender(llm, mailbox(server), FakeReviewer(tw.Decision.approve())).run("Tell Ann.")
    assert [execution.status for execution in run.executions] == ["failed"]
    assert (run.status, server.received) == ("completed", [])
