#!/bin/sh
# How long does a training step of VGG-13 take on 8 GPUs? Installs what is missing, builds the program, asks it.
# On an empty Debian 12, as root or with sudo, as often as you like:  sh examples/run.sh [BUILD-FOLDER]
set -eu
CDPATH= cd -- "$(dirname -- "$0")/.."
. include/cmake/debian.sh
build=${1:-build}

need_packages $packages_to_build

say "building $build/bin/triosim (Release)"
if [ -z "${CXX:-}" ] && command -v g++ >/dev/null 2>&1; then CXX=g++; fi
export CXX="${CXX:-c++}"
prepare_folder "$build" -DCMAKE_BUILD_TYPE=Release -DTRIOSIM_TESTS=OFF -DTRIOSIM_EXAMPLES=OFF
cmake --build "$build" --target triosim_cli --parallel "$(cores)"

ask() {
  say "$*"
  "$@"
}
ask "$build/bin/triosim" simulate --trace-dir sample_trace/vgg13 --gpus 8 --strategy distributed-data-parallel
