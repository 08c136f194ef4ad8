"""What the page on providers promises of those who ask a model, and of choosing one."""

from tests.promises import Promise

_PAGE = "providers.md"
_OBSERVED = "observability.md"

PROMISES = {
    "providers.chat": Promise(_PAGE, "chat gives the text, empty where there is none."),
    "providers.calls": Promise(_PAGE, "chat_with_tools gives a text, calls, or both, and takes results back."),
    "providers.stream": Promise(_PAGE, "The last event of a stream is Completed with the whole answer."),
    "providers.no_tools": Promise(_PAGE, "With no tools the request has no tools key at all."),
    "providers.options": Promise(_PAGE, "Options reach the server, or are refused before anything is sent."),
    "providers.usage": Promise(_PAGE, "Usage is read from the answer, None where unknown."),
    "providers.errors": Promise(
        _PAGE, "An HTTP 200 that carries an error, and an error in mid-stream, raise LLMError from the provider."
    ),
    "providers.secrets": Promise(_PAGE, "Errors hold the provider's message, never the key, never the prompt."),
    "providers.key": Promise(_PAGE, "Keys come from the environment or a callable, and are read when they are needed."),
    "providers.sync": Promise(_PAGE, "provider.sync has the same calls for code without an event loop."),
    "providers.incremental": Promise(_PAGE, "A run sends its whole history every turn, and encodes only what is new."),
    "providers.extra_text_calls": Promise(_PAGE, "Providers read calls written as text by the option text_calls."),
    "providers.prompted": Promise(_PAGE, "With tool_mode prompted, tools are told in the system message."),
    "providers.closed": Promise(_PAGE, "A provider closes its connections, and opens others when asked again."),
    "choose.names": Promise(_PAGE, "A name says the service, the model, and where it is: vllm:model@http://host/v1."),
    "choose.keys": Promise(_PAGE, "Keys come from the environment, and go to their own service alone."),
    "choose.order": Promise(
        _PAGE,
        "provider() looks for TOOLWRIGHT_MODEL, the configuration file, keys, Ollama or vLLM here, the embedded model.",
    ),
    "choose.shown": Promise(_PAGE, "What was found and why can be shown."),
    "choose.newest": Promise(_PAGE, "Where no model is named, the server's own list says which there are."),
    "providers.logs": Promise(_OBSERVED, "Logs tell provider request, retry and error, the last two as warnings."),
    "providers.telemetry": Promise(
        _OBSERVED, "Each model call has a span and the GenAI conventions' client metrics, without content."
    ),
    "providers.tour": Promise("tour.md", "The tour's providers work as written, and so does a whole run over each."),
    "providers.newest": Promise(_PAGE, "There is no list of models in the code: names are passed through."),
}
