"""What the page on providers promises of calls that stand in texts, and of calls by constrained answer."""

from tests.promises import Promise

_PAGE = "providers.md"

PROMISES = {
    "text_calls.formats": Promise(_PAGE, "text_calls(format, tools) gives a parser for a format, in any spelling."),
    "text_calls.families": Promise(_PAGE, "The dialects of at least twenty families are read."),
    "text_calls.auto": Promise(_PAGE, "The format auto reads all of them."),
    "text_calls.any_cut": Promise(_PAGE, "Streaming or not, any cut gives the same text, calls and order."),
    "text_calls.told": Promise(_PAGE, "feed gives the events that a text brought."),
    "text_calls.text_stays": Promise(_PAGE, "Text before and after a call stays text."),
    "text_calls.no_markup": Promise(_PAGE, "No markup of a call is left in the text."),
    "text_calls.only_offered": Promise(_PAGE, "Only tools that were offered are accepted."),
    "text_calls.any_name": Promise(_PAGE, "All names are accepted where tools is None."),
    "text_calls.types": Promise(_PAGE, "Argument types follow their schemas where the format tells none."),
    "text_calls.quoted": Promise(_PAGE, "Nothing is taken from quoted text or code."),
    "text_calls.reasoning": Promise(_PAGE, "Nothing is taken from reasoning."),
    "text_calls.truncated": Promise(_PAGE, "A cut or broken call is an invalid one, and never a guess."),
    "text_calls.lone": Promise(
        _PAGE, "A lone object with name and arguments, bare or fenced, that fits an offered tool is read as a call."
    ),
    "text_calls.linear": Promise(_PAGE, "Hostile texts cost what they are long."),
    "text_calls.provider": Promise(_PAGE, "Providers use it by the option text_calls."),
    "prompted.described": Promise(_PAGE, "Tools and one example each are described in the system message."),
    "prompted.constrained": Promise(_PAGE, "The answer is constrained to either a text or a call."),
    "prompted.ordinary": Promise(_PAGE, "It reads as an ordinary ToolCall."),
    "prompted.history": Promise(_PAGE, "Earlier calls and results are told in the form of the answer."),
    "prompted.streaming": Promise(_PAGE, "The text of an answer is told as it comes out of its JSON."),
}
