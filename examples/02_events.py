"""The events of a run as they come. Leaving the loop early interrupts the run."""

import asyncio

import ferrule


async def main() -> None:
    model = ferrule.Scripted([ferrule.calling("ls", path="."), "That is all."])
    async with ferrule.open_session(model=model, save=False) as session:
        async with session.watch("List the files.") as events:
            async for event in events:
                match event:
                    case ferrule.Delta(kind="text", text=text):
                        print(text, end="")
                    case ferrule.ToolStarted(call=call):
                        print(f"[{call.name} {call.input}]")
                    case _:
                        pass
            ended = await events
        print(f"\nended: {ended.reason} after {ended.turns} turns")


asyncio.run(main())
