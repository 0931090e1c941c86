"""A server that loads new weights: a request cancelled while the queue drains leaves the engine paused."""


async def reload(engine, path):
    await engine.pause_generation()
    await engine.drain()
    try:
        await engine.load(path)
    finally:
        await engine.resume_generation()
