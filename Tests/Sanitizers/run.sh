#!/usr/bin/env bash
# Builds the server with a sanitizer and puts a load on it: the protocol's own tests of connections, a storm of writers, cut connections, slow readers and
# signals over ws and wss, and todo-load. Ends with an error where the sanitizer has anything to say, and shows it.
#
#   bash Tests/Sanitizers/run.sh address|thread [SECONDS]
#
# SECONDS is how long each storm and each load lasts, 20 by default.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
kind=${1:-} seconds=${2:-20}
case "$kind" in
  address | thread) ;;
  *) echo "usage: bash Tests/Sanitizers/run.sh address|thread [SECONDS]" >&2; exit 2 ;;
esac
. Sources/install.sh
install_packages $build_packages $test_packages

folder=.build/sanitize-$kind
swift build --sanitize "$kind" --scratch-path "$folder" --product todo-server
# It starts the server that lies beside it.
swift build --sanitize "$kind" --scratch-path "$folder" --product todo-load

reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT
export TODO_SERVER=$PWD/$folder/debug/todo-server STORM_SECONDS=$seconds
# The runtime's own report of a crash would hide the sanitizer's.
export SWIFT_BACKTRACE=enable=no
export ASAN_OPTIONS="log_path=$reports/report:detect_leaks=0" TSAN_OPTIONS="log_path=$reports/report:history_size=4:suppressions=$PWD/Tests/Sanitizers/thread.suppressions"

status=0
# Without those that weigh the process, which is another one here, or count its open files.
/usr/bin/python3 -m pytest -q -p no:cacheprovider Tests/Protocol/test_storm.py Tests/Protocol/test_frames.py Tests/Protocol/test_compression.py \
  Tests/Protocol/test_handshake.py Tests/Protocol/test_http.py Tests/Protocol/test_tls.py Tests/Protocol/test_liveness.py Tests/Protocol/test_scale.py \
  -k "not bomb and not hold_no_memory" || status=$?
"$folder/debug/todo-load" --sessions 40 --projects 4 --rate 100 --seconds "$seconds" || status=$?

found=("$reports"/report*)
if [ -e "${found[0]}" ]; then
  cat "${found[@]}"
  echo "the sanitizer has found something in ${#found[@]} processes" >&2
  exit 1
fi
[ "$status" -eq 0 ] && echo "clean: the $kind sanitizer has nothing to say"
exit "$status"
