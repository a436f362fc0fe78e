#!/bin/sh
# Installs what is missing, builds everything and tests it: with gcc, and with clang under the address and undefined
# behaviour sanitizers; every public header alone; and the readers on mutated files. The last line counts the tests.
# On an empty Debian 12, as root or with sudo, as often as you like:  sh test/run.sh [gcc] [clang] [asan-ubsan] [fuzz]
set -eu
CDPATH= cd -- "$(dirname -- "$0")/.."
. include/cmake/debian.sh
export CTEST_PARALLEL_LEVEL="$(cores)"

need_packages $packages_to_test

passed=0
failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT INT TERM

# Runs "$@" as one test.
check() {
  say "$*"
  if "$@"; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    say "FAILED: $*"
  fi
}

# Runs ctest for a preset and adds up its closing line.
suite() {
  say "ctest --preset $1"
  { ctest --preset "$1" 2>&1 || echo "ctest of $1 failed"; } | tee "$log"
  counts=$(sed -n 's/.*tests passed, \([0-9]*\) tests failed out of \([0-9]*\).*/\1 \2/p' "$log")
  if [ -z "$counts" ]; then
    failed=$((failed + 1))
  else
    failed=$((failed + ${counts% *}))
    passed=$((passed + ${counts#* } - ${counts% *}))
  fi
}

# clang is the compiler of the sanitizers; `sh test/run.sh clang` is the same without them.
for preset in ${*:-gcc asan-ubsan fuzz}; do
  check cmake --preset "$preset"
  check cmake --build --preset "$preset"
  case $preset in
  gcc | clang) check cmake --build --preset "$preset" --target all_verify_interface_header_sets ;;
  esac
  suite "$preset"
done

printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
