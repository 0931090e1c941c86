"""Makes a manifest of a version: runs `pause-lint fix` over its tree and keeps what changed, as edits of lines.

    python -m patches.make VERSION TREE --origin TEXT

TREE is the package's folder (`areal/`), of which nothing is written. Only what the fix changes goes into the manifest:
numbers of lines, hashes, and inserted text. Afterwards the index beside the manifests is made anew.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from pause_lint.config import Settings, load, resolve
from pause_lint.finding import Finding
from pause_lint.fixing.run import Change, fix_paths

PATCHES = Path(__file__).resolve().parent
sys.path.insert(0, str(PATCHES / "overlay"))

from pause_lint_overlay import edits, manifests  # noqa: E402

UNCONCERNED = (
    "the LoRA disk path of vLLM (`/v1/load_lora_adapter`): vLLM serves that endpoint itself and does not pause in it",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the manifest and the index; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("version")
    parser.add_argument("tree", type=Path, help="the folder of the package")
    parser.add_argument("--origin", required=True, help="where the tree is from")
    options = parser.parse_args(arguments)
    tree: Path = options.tree.resolve()
    folder = PATCHES / tree.name
    text = "\n".join(_manifest(options.version, tree, options.origin)) + "\n"
    folder.mkdir(exist_ok=True)
    (folder / f"{options.version}.toml").write_text(text, encoding="utf-8")
    known = manifests.index_of(manifests.every(tree.name))
    (folder / "index.json").write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    return 0


def _manifest(version: str, tree: Path, origin: str) -> Iterator[str]:
    os.chdir(tree.parent)  # what is found is put with the paths as they are seen from here
    outcome = fix_paths([tree.name], resolve(load([tree.name]), Settings()), unsafe=False, write=False)
    if outcome.unfixed:
        raise SystemExit(f"not fixed: {[finding.message for finding, _ in outcome.unfixed]}")
    if not outcome.changes:
        raise SystemExit(f"there is nothing to patch in {tree}")
    yield f"version = {json.dumps(version)}"
    yield f"package = {json.dumps(tree.name)}"
    yield f"origin = {json.dumps(origin)}"
    yield f"unconcerned = {json.dumps(list(UNCONCERNED))}"
    changed = {change.path for change in outcome.changes}
    passed = {step.path for finding in outcome.fixed for step in finding.witness} - changed
    yield ""
    yield "[beside]"
    for path in sorted(passed):
        inside = Path(path).resolve().relative_to(tree).as_posix()
        yield f"{json.dumps(inside)} = {json.dumps(manifests.digest(Path(path).read_bytes()))}"
    for change in sorted(outcome.changes, key=lambda change: change.path):
        found = [finding for finding in outcome.fixed if finding.path == change.path]
        yield from _file(tree, change, found)


def _file(tree: Path, change: Change, found: Sequence[Finding]) -> Iterator[str]:
    inside = Path(change.path).resolve().relative_to(tree)
    yield ""
    yield "[[file]]"
    yield f"path = {json.dumps(inside.as_posix())}"
    parts = inside.parent.parts if inside.name == "__init__.py" else inside.with_suffix("").parts
    yield f"module = {json.dumps('.'.join((tree.name, *parts)))}"
    yield f"before = {json.dumps(manifests.digest(change.old))}"
    yield f"after = {json.dumps(manifests.digest(change.new))}"
    yield "edits = ["
    for edit in edits.between(change.old, change.new):
        yield f"  {{ {', '.join(f'{key} = {json.dumps(value)}' for key, value in edit.items())} }},"
    yield "]"
    for finding in found:
        yield ""
        yield "[[file.function]]"
        yield f"name = {json.dumps(finding.function)}"
        yield f"line = {finding.span.line}"
        yield f"code = {json.dumps(finding.code)}"
        yield f"fault = {json.dumps(finding.message)}"
        yield f"hangs = {json.dumps(HANGS[finding.kind])}"


HANGS = {
    "never": "after every update",
    "normal-path": "after an update that takes the path without the resume",
    "exception": "after an update in which anything between the pause and the resume raises",
    "cancellation": "after an update that is cancelled between the pause and the resume",
    "partial": "after an update in which pausing one of several engines fails",
    "cleanup": "after an update in which the cleanup before the resume raises",
}
"""By the kind of a finding: when generation hangs."""

if __name__ == "__main__":
    raise SystemExit(main())
