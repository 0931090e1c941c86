"""The YAML that the pages show: valid as the schemas of GitHub, GitLab and pre-commit have it, in a whole file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.helpers.commands import PROJECT, Done, run

PAGES = sorted([PROJECT / "README.md", *PROJECT.glob("docs/*.md")])
YAML = re.compile(r"^```yaml\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
SNIPPETS = [
    pytest.param(block, id=f"{page.name}-{number}")
    for page in PAGES
    for number, block in enumerate(YAML.findall(page.read_text(encoding="utf-8")), 1)
]
ADDRESS = re.compile(r"<[^>]*>|OWNER/REPOSITORY@REVISION")


def whole(block: str) -> tuple[str, Any]:
    """What kind of file a snippet belongs to, and a whole file with the snippet in its place."""
    # YAML 1.1 takes a key `on` for a truth value.
    data: Any = yaml.load(ADDRESS.sub("someone/something@v1", block), Loader=yaml.BaseLoader)
    if isinstance(data, list):
        if any("id" in one for one in data):
            return "pre-commit", {"repos": [{"repo": "someone", "rev": "v1", "hooks": data}]}
        return "github-workflows", _workflow({"steps": data})
    if "repos" in data:
        return "pre-commit", data
    if "jobs" in data:
        return "github-workflows", data
    if "steps" in data:
        return "github-workflows", _workflow(data)
    if "pause-lint" in data:
        return "gitlab-ci", data
    return "gitlab-ci", {"pause-lint": {"script": ["pause-lint check"], **data}}


def _workflow(job: dict[str, Any]) -> dict[str, Any]:
    return {"on": "push", "jobs": {"check": {"runs-on": "ubuntu-latest", **job}}}


def validated(kind: str, data: Any, folder: Path) -> Done:
    """Asks the schema's own program."""
    file = folder / (".pre-commit-config.yaml" if kind == "pre-commit" else "file.yaml")
    file.write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    if kind == "pre-commit":
        return run("pre-commit", "validate-config", file, cwd=folder)
    return run("check-jsonschema", "--builtin-schema", f"vendor.{kind}", file, cwd=folder)


@pytest.mark.parametrize("block", SNIPPETS)
def test_a_snippet_is_valid(block: str, tmp_path: Path) -> None:
    kind, data = whole(block)
    done = validated(kind, _typed(data), tmp_path)
    assert done.code == 0, done.out + done.err


@pytest.mark.parametrize(
    "kind, data",
    [
        ("github-workflows", _workflow({"steps": [{"runs": "pause-lint check"}]})),
        ("gitlab-ci", {"pause-lint": {"script": ["true"], "artifacts": {"reports": {"codequality": 1}}}}),
        ("pre-commit", {"repos": [{"repo": "someone", "rev": "v1", "hooks": [{"args": []}]}]}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_wrong_is_refused(kind: str, data: Any, tmp_path: Path) -> None:
    assert validated(kind, data, tmp_path).code == 1


def test_every_kind_is_shown() -> None:
    assert {whole(str(one.values[0]))[0] for one in SNIPPETS} == {"github-workflows", "gitlab-ci", "pre-commit"}


def test_the_manifest_of_the_hooks_is_valid() -> None:
    done = run("pre-commit", "validate-manifest", ".pre-commit-hooks.yaml", cwd=PROJECT)
    assert done.code == 0, done.out + done.err


def test_the_page_of_the_hooks_names_all_of_them() -> None:
    hooks = yaml.safe_load((PROJECT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    page = (PROJECT / "docs/pre-commit.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([\w-]+)` \|", page, flags=re.MULTILINE) == [hook["id"] for hook in hooks]


def _typed(data: Any) -> Any:
    """Numbers and truth values as such again, keys as they stand."""
    if isinstance(data, dict):
        return {key: _typed(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_typed(one) for one in data]
    return {"true": True, "false": False, "": None}.get(data, int(data) if data.isdigit() else data)
