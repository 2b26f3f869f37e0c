"""Your own say over each call: allow it, allow it with other arguments, or deny it with a reason."""

import ferrule


async def gate(_call: ferrule.ToolCall, effects: tuple[ferrule.Effect, ...]) -> ferrule.Allow | ferrule.Deny:
    for effect in effects:
        if effect.kind == "execute" and "rm " in effect.target:
            return ferrule.Deny("Nothing is removed here.")
    return ferrule.Allow()


model = ferrule.Scripted(
    [
        ferrule.calling("bash", command="rm -rf build"),
        ferrule.calling("bash", command="echo hello"),
        "I said hello and removed nothing.",
    ]
)
result = ferrule.run("Clean up and say hello.", model=model, gate=gate)
for message in result.messages:
    if isinstance(message, ferrule.ToolResult):
        print(f"{message.tool}: {message.text!r}")
print(result.text)
