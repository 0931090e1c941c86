"""The example's server, with vLLM for an engine.

    python -m tests.engine.programs.serve TREE MODEL DEVICE

Serves on a free port of the loopback what `TREE/tinyrl/server.py` does, `/is_paused`, which asks vLLM itself, and
`/control`, by which a test has a pause or a load come late.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import uvicorn
from pydantic import BaseModel

from .llm import Adapter, start


class Control(BaseModel):
    """Seconds."""

    pause_after: float = 0.0
    load_after: float = 0.0


async def serve(tree: Path, model: Path, device: str) -> None:
    """Serves until it is ended."""
    sys.path.insert(0, str(tree))
    from tinyrl.server import app

    engine = start(model, device)
    adapter = app.state.engine = Adapter(engine)

    async def is_paused() -> dict[str, Any]:
        return {"is_paused": await adapter.is_paused(), "loads": adapter.loads}

    async def control(body: Control) -> dict[str, Any]:
        adapter.pause_after, adapter.load_after = body.pause_after, body.load_after
        return {}

    app.add_api_route("/is_paused", is_paused)
    app.add_api_route("/control", control, methods=["POST"])
    try:
        # Requests that hang do not keep the server from ending.
        config = uvicorn.Config(app, host="127.0.0.1", port=0, use_colors=False, timeout_graceful_shutdown=1)
        await uvicorn.Server(config).serve()
    finally:
        engine.shutdown()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]))
