"""AReaL's addition to vLLM's workers, on a CPU.

There vLLM packs the weights and drops what it packed, after which nothing can be loaded in place, which is how AReaL
loads. Without oneDNN it does not pack. The module is imported before the model is loaded.
"""

from __future__ import annotations

import vllm._custom_ops
from areal.engine.vllm_ext.vllm_worker_extension import VLLMWorkerExtension

vllm._custom_ops._supports_onednn = False

__all__ = ["VLLMWorkerExtension"]
