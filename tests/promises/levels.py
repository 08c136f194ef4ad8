"""What the page on tools promises about categories, risks and isolation."""

from tests.promises import Promise

_PAGE = "tools.md"

PROMISES = {
    "levels.categories": Promise(_PAGE, "Each category has its integer for storage and its default risk."),
    "levels.category_shown": Promise(_PAGE, "Each category has a display name, an icon name and a description."),
    "levels.risks": Promise(_PAGE, "The risks are safe 0, low 1, medium 2, high 3, critical 4, in that order."),
    "levels.risk_shown": Promise(_PAGE, "Each risk has a display name, a colour and a description."),
    "levels.approval": Promise(_PAGE, "Approval is required from medium on, and the log shows risks from low on."),
    "levels.isolation": Promise(_PAGE, "The levels of isolation are none 0, standard 1, strict 2, restricted 3."),
}
