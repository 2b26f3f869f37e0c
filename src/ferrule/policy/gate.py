"""The gate that stands until there are rules: reading is free, all else needs a mode or a word that allows it."""

from collections.abc import Collection

from ferrule.core.agent import Allow, Deny, Gate
from ferrule.core.messages import ToolCall
from ferrule.core.names import canonical
from ferrule.core.tool import Effect

FREE = frozenset({"read", "interactive"})


def gate_for(mode: str, *, allowed: Collection[str] = ()) -> Gate:
    """Make the gate of a mode; tools named in `allowed` may run in every mode but `plan`."""
    names = {canonical(name) for name in allowed}

    async def gate(call: ToolCall, effects: tuple[Effect, ...]) -> Allow | Deny:
        unfree = [effect for effect in effects if effect.kind not in FREE]
        if not unfree or mode == "yolo" or (canonical(call.name) in names and mode != "plan"):
            return Allow()
        what = f"{unfree[0].kind} {unfree[0].target}"
        return Deny(
            f"Denied: {call.name} would {what}, and in mode {mode} only reading is allowed here. "
            f"The person who runs this can allow it with `--allowed-tools {call.name}` or `--mode yolo`."
        )

    return gate
