"""A plain function with type hints is a tool: its name, its docstring and its parameters are what the model sees."""

from typing import Annotated

from msgspec import Meta

import ferrule

STOCK = {"bolt": 120, "nut": 80}


@ferrule.tool(effect="read")
def stock(part: Annotated[str, Meta(description="bolt or nut")]) -> str:
    """Say how many of a part are in stock."""
    if part not in STOCK:
        raise ferrule.ToolError(f"There is no part {part}; there are {', '.join(STOCK)}.")
    return f"{STOCK[part]} pieces"


model = ferrule.Scripted(
    [
        ferrule.calling("stock", part="bold"),  # a mistake: the model is told, and corrects itself
        ferrule.calling("stock", part="bolt"),
        "There are 120 bolts.",
    ]
)
result = ferrule.run("How many bolts are there?", model=model, tools=[stock])
for message in result.messages:
    if isinstance(message, ferrule.ToolResult):
        print("tool:", message.text)
print("answer:", result.text)
