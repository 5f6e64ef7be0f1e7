#!/usr/bin/env bash
# Fuzzes what reads bytes from outside: builds the modules with libFuzzer's instrumentation and AddressSanitizer, links each target of
# this folder and runs it from its corpus. Ends with an error on the first input that breaks a promise; that input is kept and named.
#
#   bash Tests/Fuzz/run.sh [SECONDS [TARGET ...]]
#
# SECONDS a target, 5 by default. Runs of a minute and more use optimised code, which takes longer to build and runs faster.
# A target is a file NAME.swift here; its corpus is corpus/NAME, its dictionary NAME.dict. What a run finds to be new stays in
# .build/fuzz/found/NAME and is where the next one begins.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
here=Tests/Fuzz
seconds=${1:-5}
# The runtime's own report of a crash would keep libFuzzer from saving the input that led to it.
export SWIFT_BACKTRACE=enable=no
targets=("${@:2}")
if [ "${#targets[@]}" -eq 0 ]; then
  for file in "$here"/*.swift; do
    name=$(basename "$file" .swift)
    [ "$name" = FuzzInput ] || targets+=("$name")
  done
fi
. Sources/install.sh
install_packages $build_packages

configuration=debug optimisation=-Onone
if [ "$seconds" -ge 60 ]; then configuration=release optimisation=-O; fi
folder=.build/fuzz
for module in WebSocket WebToken TodoProtocol; do
  swift build --configuration "$configuration" --scratch-path "$folder" --sanitize address --quiet --target "$module" \
    -Xswiftc -sanitize=fuzzer -Xcxx -fsanitize=fuzzer-no-link
done
built=$folder/$configuration
objects=()
for module in CSimdJSON Bytes Crypto WebSocket WebToken Todo TodoProtocol; do objects+=("$built/$module.build"/*.o); done

maps=()
for map in "$built/CSimdJSON.build" Sources/COpenSSL Sources/CZlib; do maps+=(-Xcc "-fmodule-map-file=$map/module.modulemap"); done

link() {
  swiftc "$here/FuzzInput.swift" "$here/$1.swift" "${objects[@]}" -o "$built/fuzz-$1" -module-name TodoFuzz -parse-as-library -use-ld=lld \
    -swift-version 6 -warnings-as-errors "$optimisation" -g -sanitize=fuzzer,address -I "$built/Modules" \
    "${maps[@]}" -lsimdjson -lcrypto -lz -lstdc++
}

fuzz() {
  local found=$folder/found/$1 log=$built/fuzz-$1.log dictionary=() status=0
  mkdir -p "$found" "$folder/crashes"
  [ -f "$here/$1.dict" ] && dictionary=(-dict="$here/$1.dict")
  "$built/fuzz-$1" "$found" "$here/corpus/$1" "${dictionary[@]}" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -artifact_prefix="$folder/crashes/$1-" -print_final_stats=1 >"$log" 2>&1 || status=$?
  echo "fuzz $1: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") runs in $seconds s, coverage $(grep -o 'cov: [0-9]*' "$log" | tail -n 1)"
  [ "$status" -eq 0 ] || { grep -m 1 "Fatal error" "$log" || true; tail -n 60 "$log"; return "$status"; }
}

# Two at a time: as many as the smallest machine has cores.
status=0
for step in link fuzz; do
  for ((place = 0; place < ${#targets[@]}; place += 2)); do
    jobs=()
    for name in "${targets[@]:place:2}"; do
      "$step" "$name" &
      jobs+=($!)
    done
    for job in "${jobs[@]}"; do wait "$job" || status=$?; done
  done
  [ "$status" -eq 0 ] || exit "$status"
done
