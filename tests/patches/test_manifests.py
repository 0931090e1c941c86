"""The manifests: complete, in agreement with the index, and without a line of anyone else's code."""

from __future__ import annotations

import re

import pytest

from pause_lint_overlay.manifests import FOLDER, Manifest, every, index, index_of

MANIFESTS = every()

INSERTED = re.compile(
    r" *(?:try:|finally:|paused = (?:True|False)|if paused:|if (?:not )?[\w.() =]+:"
    r"|(?:await )?[\w.]+\.(?:continue|resume)_generation\([\w=., ]*\)"
    r"|await asyncio\.gather\([^#]*\)|[\w.* \[\]()]+,?|\)?)"
)
"""What a fix may put into a file."""


def test_there_is_one_for_each_known_version() -> None:
    assert [one.version for one in MANIFESTS] == ["1.0.4", "ascend-v1.0.1", "v1.0.1", "v1.0.2", "v1.0.3", "v1.0.4"]


def test_the_index_says_what_they_say() -> None:
    assert index() == index_of(MANIFESTS)


def test_a_file_that_is_patched_is_none_that_is_to_be() -> None:
    files = [file for manifest in MANIFESTS for file in manifest.files]
    assert not {file.after for file in files} & {file.before for file in files}


def test_where_a_file_needs_different_patches_the_others_tell_the_versions_apart() -> None:
    """The disk path of the same file hangs only where the server of that version pauses in its handler."""
    shared = {
        (one.version, two.version)
        for one in MANIFESTS
        for two in MANIFESTS
        for left in one.files
        for right in two.files
        if left.before == right.before and left.after != right.after
    }
    assert shared == {("ascend-v1.0.1", "v1.0.2"), ("v1.0.2", "ascend-v1.0.1")}
    by_version = {manifest.version: {file.before for file in manifest.files} for manifest in MANIFESTS}
    assert by_version["ascend-v1.0.1"] - by_version["v1.0.2"]
    assert by_version["v1.0.2"] - by_version["ascend-v1.0.1"]


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda manifest: manifest.version)
def test_what_it_says_of_a_version(manifest: Manifest) -> None:
    assert (FOLDER / manifest.package / f"{manifest.version}.toml").is_file()
    assert any("LoRA" in text for text in manifest.unconcerned)
    assert manifest.files
    for file in manifest.files:
        assert file.module == f"{manifest.package}.{file.path.removesuffix('.py').replace('/', '.')}"
        assert len(file.before) == len(file.after) == 64
        assert file.functions
        assert file.edits
        for function in file.functions:
            assert function.fault.startswith("generation paused by ")
            assert function.hangs.startswith("after ")


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda manifest: manifest.version)
def test_nothing_but_scaffolding_is_inserted(manifest: Manifest) -> None:
    for file in manifest.files:
        for edit in file.edits:
            for text in edit.get("insert", ()):
                assert INSERTED.fullmatch(text), text


def test_the_report_s_own_path_is_among_them() -> None:
    (ascend,) = (one for one in MANIFESTS if one.version == "ascend-v1.0.1")
    hanging = {function.name: function.hangs for file in ascend.files for function in file.functions}
    assert hanging["FSDPEngine._update_weights_from_disk"] == "after every update"
    assert hanging["MegatronEngine._update_weights_from_disk"] == "after every update"
    assert hanging["update_weights_from_disk"] == "after every update"
