# Sourced by examples/run.sh and test/run.sh, in the root of the checkout: the packages that each needs, and how they
# come onto a Debian system. A package is written NAME, or COMMAND:NAME where any command of that name will do, or
# NAME|OTHER where any of them will do.
packages_to_build="cmake:cmake c++:g++ ninja:ninja-build libboost1.81-dev|libboost-dev librange-v3-dev rapidjson-dev
  libprotozero-dev zlib1g-dev libcli11-dev libyaml-cpp-dev"
packages_to_test="$packages_to_build g++:g++ clang++:clang libclang-rt-dev clang-format:clang-format doctest-dev"

say() {
  printf '== %s\n' "$*"
}

fail() {
  printf 'triosim: %s\n' "$*" >&2
  exit 1
}

installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]
}

# Installs what is missing of the packages in "$*", as root or with sudo.
need_packages() {
  if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-query >/dev/null 2>&1; then
    sentence="this system has no apt: triosim needs CMake 3.25, Ninja, a C++20 compiler (g++ 12 or clang 14), Boost 1.74
 for Hana, range-v3 0.12, RapidJSON, protozero, zlib and CLI11, and to test it also clang 14 and doctest"
    sentence=$(printf '%s' "$sentence" | tr -d '\n')
    for command in cmake ninja c++; do
      command -v "$command" >/dev/null 2>&1 || fail "$sentence."
    done
    say "$sentence; going on with what is here."
    return
  fi
  missing=
  for entry in $*; do
    case $entry in
    *:*)
      command -v "${entry%%:*}" >/dev/null 2>&1 || missing="$missing ${entry#*:}"
      ;;
    *)
      found=
      for package in $(printf '%s' "$entry" | tr '|' ' '); do
        if installed "$package"; then found=yes; fi
      done
      [ -n "$found" ] || missing="$missing $entry"
      ;;
    esac
  done
  [ -n "$missing" ] || return 0

  as_root=
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null 2>&1 || fail "these packages are missing, and without root or sudo they cannot be" \
      "installed:$(printf '%s' "$missing" | sed 's/|[^ ]*//g')"
    as_root=sudo
  fi
  $as_root apt-get update -q
  chosen=
  for entry in $missing; do
    # The first of several names that this release of Debian knows.
    choice=${entry%%|*}
    for package in $(printf '%s' "$entry" | tr '|' ' '); do
      if apt-cache show "$package" >/dev/null 2>&1; then
        choice=$package
        break
      fi
    done
    chosen="$chosen $choice"
  done
  say "installing$chosen"
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $chosen
}

cores() {
  nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2
}

# Configures the build folder "$1" with the settings that follow, unless it has been configured: then it stays as it is.
prepare_folder() {
  folder=$1
  shift
  if [ -e "$folder" ] && [ ! -w "$folder" ]; then
    fail "the folder $folder belongs to another user: remove it, or run this as they did"
  fi
  if [ -e "$folder/CMakeCache.txt" ]; then
    if grep -qxF -e "CMAKE_HOME_DIRECTORY:INTERNAL=$(pwd)" -e "CMAKE_HOME_DIRECTORY:INTERNAL=$(pwd -P)" \
      "$folder/CMakeCache.txt"; then
      return 0
    fi
    set -- --fresh "$@" # the checkout has moved since
  fi
  cmake -S . -B "$folder" -G Ninja "$@"
}
