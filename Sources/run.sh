#!/usr/bin/env bash
# Installs what the server needs on Debian 12, builds it and runs it; what stands behind the command goes to todo-server.
#
#   bash Sources/run.sh --demo
set -euo pipefail
# The folder stays the caller's: relative paths among the flags are meant from there.
package="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
. "$package/Sources/install.sh"
install_packages $build_packages
swift build --package-path "$package" --configuration release --product todo-server
exec "$package/.build/release/todo-server" "$@"
