#!/usr/bin/env bash
# The model test and the simulation in an optimised build, side by side. Ends with an error on the first fault, whose seed is printed.
#
#   bash Tests/simulate.sh [STEPS [SCHEDULES]]
#
# 100,000 steps of the model test and 2,000 schedules of the simulation by default. To replay one:
#
#   TODO_SEED=… TODO_TRACE=1 .build/release/todo-simulate schedules      (or: model)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. Sources/install.sh
install_packages $build_packages
swift build --configuration release --product todo-simulate --quiet
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
.build/release/todo-simulate model "${1:-100000}" >"$log" 2>&1 &
model=$!
.build/release/todo-simulate schedules "${2:-2000}" || status=$?
wait "$model" || status=$?
cat "$log"
exit "$status"
