# Everything here works on a fresh checkout with Python 3.11 or later, pip and make.
#
#   make test     the tests
#   make demo     the tool at work on a released trainer
#   make lint     style, types, and this project's own rules on itself
#   make oracle   the whole campaign against executed random functions (long)
#   make bench    how long `check` takes, against bare Python reading the same files
#   make clean    removes what the others made

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO_VENV := .venv-demo
DEMO := build/demo
BENCH := build/bench
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: test demo lint oracle bench clean
.DELETE_ON_ERROR:

test: $(VENV)/.test
	$(BIN)/python -m pytest

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

clean:
	rm -rf $(VENV) $(DEMO_VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis

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
