"""Writes down what the analyser finds, for the field report.

    python -m tests.field.record FINDINGS [UNRELATED]

FINDINGS is a folder with one output of `check --preset all --output-format json` for each tree that was read, named as
its reading is; UNRELATED a folder with `trees.json` and `report.jsonl`, about trees that have nothing to do with
inference. Messages are left out, for they quote the code. What we say of a finding there is kept if it was said before.
`python -m tests.field.page` then writes the page.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.field.data import FIELD, Alarm, Finding, Package, readings, unrelated


def lines(rows: Iterable[Mapping[str, Any]]) -> str:
    """A JSON list with each of `rows` on a line of its own."""
    text = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in rows)
    return f"[\n{text}\n]" if text else "[]"


def record_findings(outputs: Path) -> None:
    """Records the outputs in the folder `outputs`, one for each reading. Raises FileNotFoundError if one is missing."""
    target = FIELD / "findings"
    target.mkdir(exist_ok=True)
    for reading in readings():
        report = json.loads((outputs / f"{reading.name}.json").read_text(encoding="utf-8"))
        rows = [{field: finding[field] for field in Finding._fields} for finding in report["findings"]]
        (target / f"{reading.name}.json").write_text(lines(rows) + "\n", encoding="utf-8")


def record_unrelated(folder: Path) -> None:
    """Records the trees that have nothing to do with inference. A finding in them that is known keeps our words."""
    said = {}
    if (FIELD / "unrelated.json").exists():
        said = {(alarm.tree, alarm.path, alarm.function, alarm.code, alarm.line): alarm for alarm in unrelated()[1]}
    trees = json.loads((folder / "trees.json").read_text(encoding="utf-8"))
    packages = [{"name": name} | {key: tree[key] for key in Package._fields[1:]} for name, tree in trees.items()]
    alarms = []
    for line in (folder / "report.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        known = said.get((row["tree"], row["path"], row["function"], row["code"], row["line"]))
        alarms.append({key: row[key] for key in Alarm._fields} | ({"why": known.why} if known else {}))
    text = f'{{\n"trees": {lines(packages)},\n"findings": {lines(alarms)}\n}}\n'
    (FIELD / "unrelated.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    record_findings(Path(sys.argv[1]))
    if len(sys.argv) > 2:
        record_unrelated(Path(sys.argv[2]))
