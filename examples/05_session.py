"""A conversation that is saved as it goes, and goes on later, in another process or this one."""

import asyncio

import ferrule


async def main() -> None:
    async with ferrule.open_session(model=ferrule.Scripted(["Blue, I shall remember."])) as session:
        await session.prompt("My favourite colour is blue.")
        number = session.id

    model = ferrule.Scripted(["It is blue."])
    async with ferrule.open_session(model=model, resume=number) as session:
        await session.prompt("What is my favourite colour?")
        print(len(session.history.messages), "messages:")
        for message in session.history.messages:
            print(f"  {type(message).__name__.lower()}: {ferrule.text_of(message.content)}")


asyncio.run(main())
