#!/usr/bin/env bash
# Builds uavgen in release, makes the inputs with the peer kit, and runs the benchmarks. See README.md.
set -euo pipefail
cd "$(dirname "$0")/../.."
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$HOME/.cache/uavgen/target}
export UAVGEN_SHARED=$(realpath "${UAVGEN_SHARED:-../shared}")
export UAVBENCH=${UAVBENCH:-$HOME/.cache/uavgen-bench/data}
environment=${BENCHENV:-$HOME/.cache/uavgen-bench/env}
if [ ! -d "$UAVGEN_SHARED/bench" ]; then
	echo "SKIPPED bench: the peer kit is not at $UAVGEN_SHARED/bench" >&2
	exit 0
fi
if [ ! -x "$environment/bin/python" ] || ! "$environment/bin/python" -c 'import pyarrow, PIL, numpy, cv2' 2>/dev/null; then
	python3 -m venv "$environment"
	"$environment/bin/pip" install -q --disable-pip-version-check -r "$UAVGEN_SHARED/bench/requirements.txt"
fi
export BENCHPY=$environment/bin/python
for part in frames big qa; do
	[ -e "$UAVBENCH/.made-$part" ] || { (cd "$UAVGEN_SHARED/bench" && "$BENCHPY" make_inputs.py "$part") && touch "$UAVBENCH/.made-$part"; }
done
# The whole workspace: a selection of packages has other features, and compiles polars once more for them.
cargo build --release --locked --workspace --bins --examples
exec python3 tests/bench/run.py "$@"
