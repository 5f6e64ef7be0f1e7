#!/usr/bin/env bash
# Builds the benchmarks in release mode and prints their figures: all of them, or the suites that are named.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
swift build -c release --product TodoBenchmarks
exec .build/release/TodoBenchmarks "$@"
