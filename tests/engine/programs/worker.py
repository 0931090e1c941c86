"""What vLLM's workers get in addition, so that they can take the weights of a checkpoint while they run."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any


class Extension:
    """Mixed into vLLM's worker class by `worker_extension_cls`."""

    model_runner: Any
    vllm_config: Any

    def take_checkpoint(self, folder: str) -> int:
        """Loads the weights in `folder`; returns how many tensors there are.

        On a CPU vLLM packs the weights and drops what it packed, so that loading in place is left to its own reload.
        Releases without one are of the kind that loads in place.
        """
        from safetensors import safe_open
        from vllm.config import set_current_vllm_config

        files = sorted(Path(folder).glob("*.safetensors"))
        if not files:
            raise FileNotFoundError(f"there are no weights in {folder}")
        reload = getattr(self.model_runner, "reload_weights", None)
        with set_current_vllm_config(self.vllm_config):
            if reload is not None and "weights_path" in inspect.signature(reload).parameters:
                reload(weights_path=folder)
            else:
                for file in files:
                    with safe_open(file, framework="pt", device="cpu") as opened:
                        names = list(opened.keys())
                        self.model_runner.model.load_weights((name, opened.get_tensor(name)) for name in names)
        total = 0
        for file in files:
            with safe_open(file, framework="pt", device="cpu") as opened:
                total += len(list(opened.keys()))
        return total
