# Everything here works on a fresh checkout with Python 3.11 or later, pip and make.
#
#   make test     the tests
#   make demo     the tool at work on a released trainer
#   make engine   the fault and its fix on real engines: vLLM and FSDP2, on the CPU (2.4 GB)
#   make engine-areal  the same with released AReaL (9 GB)
#   make engine DEVICE=npu   with what is installed for PYTHON, on an Ascend NPU
#   make html-test  the HTML report in a real browser, which it installs where it can
#   make lint     style, types, and this project's own rules on itself
#   make oracle   the whole campaign against executed random functions (long)
#   make bench    how long `check` takes, against bare Python reading the same files
#   make pages    writes the parts of the documentation that follow from the code
#   make docs     builds the documentation, build/docs
#   make clean    removes what the others made

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO_VENV := .venv-demo
DEMO := build/demo
BENCH := build/bench
ENGINE_VENV := .venv-engine
AREAL_VENV := .venv-engine-areal
DOCS_VENV := .venv-docs
DOCS := build/docs
ENGINE_TESTS := -m pytest -c tests/engine/pytest.ini --rootdir . --device
DEVICE := cpu
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: test html-test demo lint oracle bench engine engine-areal pages docs clean
.DELETE_ON_ERROR:

test: $(VENV)/.test
	$(BIN)/python -m pytest --numprocesses auto

html-test: $(VENV)/.test
	sh .ci/browser
	BROWSER=required $(BIN)/python -m pytest tests/report/browser

demo: $(DEMO_VENV)/.demo
	$(DEMO_VENV)/bin/python -m examples.demo $(DEMO)

lint: $(VENV)/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/flake8
	$(BIN)/pause-lint check

oracle: $(VENV)/.test
	$(BIN)/python -m tests.oracle --fix

bench: $(VENV)/.test
	$(BIN)/python -m benchmarks.corpus $(BENCH)
	$(BIN)/python -m benchmarks.ratio $(BENCH)/areal

ifeq ($(DEVICE),cpu)
engine: $(ENGINE_VENV)/.ready
	$(ENGINE_VENV)/bin/python $(ENGINE_TESTS) cpu --ignore tests/engine/test_areal.py tests/engine
else
# Nothing is installed: torch and vLLM are those of the machine. Says what else is missing.
engine:
	$(PYTHON) tests/engine/devices.py
	$(PYTHON) -c 'import fastapi, flake8, httpx, libcst, pytest, pytest_timeout, transformers, uvicorn, vllm'
	PYTHONPATH="$(CURDIR):$$PYTHONPATH" $(PYTHON) $(ENGINE_TESTS) $(DEVICE) --ignore tests/engine/test_areal.py tests/engine
endif

engine-areal: $(AREAL_VENV)/.ready
	$(AREAL_VENV)/bin/python $(ENGINE_TESTS) cpu tests/engine/test_areal.py

pages: $(VENV)/.test
	$(BIN)/python -m tools.pages

# Warnings are errors; then every link is followed in what was built.
docs: $(DOCS_VENV)/.docs
	rm -rf $(DOCS)
	$(DOCS_VENV)/bin/sphinx-build --fail-on-warning --keep-going --nitpicky --fresh-env --quiet docs $(DOCS)
	$(DOCS_VENV)/bin/python -m tools.links $(DOCS)

clean:
	rm -rf $(VENV) $(DOCS_VENV) $(DEMO_VENV) $(ENGINE_VENV) $(AREAL_VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis

# An environment is made anew when the dependencies may have changed, and only then.
$(VENV)/.test: pyproject.toml
	@PYTHON="$(PYTHON)" sh .ci/venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	@touch $@

$(VENV)/.dev: $(VENV)/.test
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

$(DEMO_VENV)/.demo: pyproject.toml
	@PYTHON="$(PYTHON)" sh .ci/venv $(DEMO_VENV)
	$(DEMO_VENV)/bin/python -m pip install --quiet --editable .
	@touch $@

$(DOCS_VENV)/.docs: pyproject.toml
	@PYTHON="$(PYTHON)" sh .ci/venv $(DOCS_VENV)
	$(DOCS_VENV)/bin/python -m pip install --quiet --editable '.[docs]'
	@touch $@

$(ENGINE_VENV)/.ready: pyproject.toml tests/engine/install.py tests/engine/pins-vllm.txt
	$(PYTHON) tests/engine/install.py $(ENGINE_VENV)
	@touch $@

$(AREAL_VENV)/.ready: pyproject.toml tests/engine/install.py tests/engine/pins-areal.txt
	$(PYTHON) tests/engine/install.py $(AREAL_VENV) --areal
	@touch $@
