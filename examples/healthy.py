"""As it should be: whatever happens between the two, generation goes on."""


async def reload(engine, path):
    await engine.pause_generation()
    try:
        await engine.drain()
        await engine.load(path)
    finally:
        await engine.resume_generation()
