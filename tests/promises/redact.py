"""What is promised of hiding secrets."""

from tests.promises import Promise

PROMISES = {
    "redact.keys": Promise("execution.md", "Values under keys that look like secrets are hidden."),
    "redact.shapes": Promise("execution.md", "Values of known secret shapes are hidden."),
    "redact.innocent": Promise("execution.md", "What is no secret stays readable."),
}
