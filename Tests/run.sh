#!/usr/bin/env bash
# Installs what the tests need on Debian 12 and runs all of them: unit, model, black-box, crash and browser tests, and the simulation.
# They start what they need themselves, on free loopback ports and in temporary folders, and stop it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. Sources/install.sh
install_packages $build_packages $test_packages
swift build --build-tests
status=0
swift test --skip-build || status=$?
bash Tests/simulate.sh || status=$?
/usr/bin/python3 -m pytest -q Tests/Protocol || status=$?
exit "$status"
