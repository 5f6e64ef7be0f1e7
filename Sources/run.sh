#!/usr/bin/env bash
# Installs what the server needs on Debian 12, builds it and runs it; what stands behind the command goes to todo-server.
#
#   bash Sources/run.sh --demo
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. Sources/install.sh
install_packages $build_packages
swift build --configuration release --product todo-server
exec .build/release/todo-server "$@"
