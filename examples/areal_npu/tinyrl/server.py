"""The inference server.

python -m uvicorn tinyrl.server:app --port 8000
"""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, FastAPI, Request
from pydantic import BaseModel

from .engine import LLM

router = APIRouter()


class Prompt(BaseModel):
    prompt: str


class Checkpoint(BaseModel):
    model_path: str


class Adapter(BaseModel):
    lora_name: str
    lora_path: str


class Parameters(BaseModel):
    folder: str
    names: list[str]


def done(message: str) -> dict[str, Any]:
    return {"success": True, "message": message}


@router.get("/health")
async def health(raw: Request) -> dict[str, Any]:
    return {"running": raw.app.state.engine.running}


@router.post("/generate")
async def generate(body: Prompt, raw: Request) -> dict[str, Any]:
    return {"value": await raw.app.state.engine.generate(body.prompt)}


@router.post("/v1/load_lora_adapter")
async def load_lora_adapter(body: Adapter, raw: Request) -> dict[str, Any]:
    await raw.app.state.engine.load_adapter(body.lora_name, body.lora_path)
    return done("adapter loaded")


@router.post("/areal_update_weights")
async def update_weights(body: Checkpoint, raw: Request) -> dict[str, Any]:
    llm = raw.app.state.engine
    await llm.pause_generation()
    await llm.load(body.model_path)
    return done("weights loaded")


@router.post("/areal_update_weights_xccl")
async def update_weights_xccl(body: Parameters, raw: Request) -> dict[str, Any]:
    llm = raw.app.state.engine
    await llm.pause_generation()
    await llm.receive(body.folder, body.names)
    return done("weights received")


@router.post("/areal_update_weights_lora_xccl")
async def update_weights_lora_xccl(body: Parameters, raw: Request) -> dict[str, Any]:
    llm = raw.app.state.engine
    await llm.pause_generation()
    await llm.receive(body.folder, body.names)
    return done("adapter received")


@router.post("/areal_update_weights_shards")
async def update_weights_shards(body: Checkpoint, raw: Request) -> dict[str, Any]:
    llm = raw.app.state.engine
    await llm.pause_generation()
    await llm.load_shards(body.model_path)
    return done("weights put together")


@router.post("/areal_pause_generation")
async def pause_generation(raw: Request) -> dict[str, Any]:
    llm = raw.app.state.engine
    await llm.pause_generation()
    return done("paused")


@router.post("/areal_continue_generation")
async def continue_generation(raw: Request) -> dict[str, Any]:
    llm = raw.app.state.engine
    await llm.resume_generation()
    return done("running")


app = FastAPI()
app.include_router(router)
app.state.engine = LLM()
