# Every target does its own set-up. `make PYTHON=python3.12 test` picks another interpreter.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
FILE   ?=
RIGHT  ?=

.DEFAULT_GOAL := help
.PHONY: help setup demo java test check java-test review bench dist format clean

help:
	@echo "make demo [FILE=my.owl [RIGHT=old.owl]]\n                         open an ontology as a window, diff it, classify it, export the report"
	@echo "make test                formatter, linter, type checker and all tests"
	@echo "make bench [QUICK=1]     paired timings against the peers that are installed"
	@echo "make review              run the reasoners' fixtures and write what each can do"
	@echo "make java                build the jars of the Java reasoners (Maven and a JDK 17 are needed)"
	@echo "make dist                wheel and source archive, with the jars where they were built"
	@echo "make format | setup | clean"

setup: $(STAMP)
	@$(BIN)/python java-stub/build.py || echo "The Java side was not built; everything that needs no Java works without."

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; try: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { echo "Python's venv module is missing (Debian, Ubuntu: apt-get install python3-venv)"; exit 1; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $(STAMP)

# Not `setup`: a first look must not wait for Maven. What was built is used.
demo: $(STAMP)
	@$(BIN)/python examples/demo.py $(FILE) $(RIGHT)

check: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

java: $(STAMP)
	$(BIN)/python java-stub/build.py

java-test: $(STAMP)
	$(BIN)/python java-stub/build.py verify

test: check java-test
	$(BIN)/pytest

bench: setup
	$(BIN)/python -m benchmarks.run $(if $(QUICK),--quick)

review: java
	$(BIN)/python -m review

dist: java
	rm -rf dist
	$(BIN)/python -m build --outdir dist

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) build dist demo-output .mypy_cache .ruff_cache .pytest_cache .hypothesis
