#!/usr/bin/env bash
# `make test`, in the shell of env.sh: colcon test for the underlay's packages (only where they
# were built) and then truthbed, one after the other so that each run's closing line stands clear.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

packages=(--paths .)
if [ -e build/.underlay ]; then
    packages=(--paths underlay/*/ .)
fi
# A test that waits in vain fails by itself, and where it hangs is printed before that.
export PYTEST_TIMEOUT=${PYTEST_TIMEOUT:-600}
export PYTEST_ADDOPTS="-o faulthandler_timeout=540 ${PYTEST_ADDOPTS:-}"
# Results of an earlier run would be counted again.
find build -name pytest.xml -delete
colcon test --executor sequential --event-handlers console_direct+ "${packages[@]}" \
    --return-code-on-test-failure
status=$?
colcon test-result --verbose || status=1
exit "$status"
