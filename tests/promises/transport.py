"""What the page on providers promises of the transport."""

from tests.promises import Promise

_PAGE = "providers.md"

PROMISES = {
    "transport.whole": Promise(_PAGE, "What is asked arrives as it is, and the answer comes back as it is."),
    "transport.pool": Promise(_PAGE, "There is one shared connection pool for each base URL."),
    "transport.http2": Promise(_PAGE, "HTTP/2 is spoken where it is offered."),
    "transport.retries": Promise(_PAGE, "Statuses 408, 409, 429 and 5xx and connection errors are tried again."),
    "transport.backoff": Promise(_PAGE, "Attempts come with backoff and jitter."),
    "transport.retry_after": Promise(_PAGE, "Retry-After is honoured, as seconds and as a date."),
    "transport.first_byte": Promise(_PAGE, "Nothing is retried after the first byte of a stream was passed on."),
    "transport.deadline": Promise(_PAGE, "A total deadline ends attempts, waits and the answer."),
    "transport.size": Promise(_PAGE, "The size of an answer has a cap, compressed or not."),
    "transport.inflating": Promise(_PAGE, "Compressed answers are read, and broken ones are a bad response."),
    "transport.stream": Promise(_PAGE, "A stream is passed on as it arrives, no faster than it is read."),
    "transport.cancelled": Promise(_PAGE, "Cancelling who asks closes the connection."),
    "transport.no_leaks": Promise(_PAGE, "No task and no connection is left behind."),
    "transport.errors": Promise(
        _PAGE,
        "401 and 403 are authentication_failed, any status not named api_call_failed; the text is the provider's.",
    ),
    "transport.code.timeout": Promise(_PAGE, "LLMError has the code timeout."),
    "transport.code.connection_failed": Promise(_PAGE, "LLMError has the code connection_failed."),
    "transport.code.bad_response": Promise(_PAGE, "LLMError has the code bad_response."),
    "transport.code.cancelled": Promise(_PAGE, "LLMError has the code cancelled."),
    "transport.key": Promise(_PAGE, "Keys come from the environment or a callable."),
    "transport.key_hidden": Promise(_PAGE, "The key is in no error, no repr and no log."),
    "transport.tls": Promise(_PAGE, "TLS is verified."),
    "transport.base_url": Promise(_PAGE, "A base URL with credentials in it is refused."),
    "transport.redirects": Promise(_PAGE, "Redirects to another host do not carry the key."),
    "transport.extra": Promise(_PAGE, "Without the HTTP library the error names the extra."),
}
