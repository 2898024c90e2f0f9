# Sourced by demo.sh and test.sh, from the top of the tree.

# As many jobs as there are cores, and no more than one for each 1.5 GiB of memory.
jobs=$(nproc 2>/dev/null || echo 2)
memory=$(awk '/^MemAvailable/ { print int($2 / 1572864) }' /proc/meminfo 2>/dev/null || echo)
[ -n "$memory" ] && [ "$memory" -lt "$jobs" ] && jobs=$memory
[ "$jobs" -ge 1 ] || jobs=1

# amphora_build preset folder [target] [-Doption=value …]
amphora_build() {
  preset_=$1 folder_=$2
  shift 2
  target_=all
  case ${1:--} in -*) ;; *) target_=$1; shift ;; esac

  # A copy of a tree that was built elsewhere cannot use that build.
  if [ -e "$folder_/CMakeCache.txt" ] && ! grep -qx "CMAKE_HOME_DIRECTORY:INTERNAL=$(pwd -P)" "$folder_/CMakeCache.txt"; then
    rm -rf "$folder_/CMakeCache.txt" "$folder_/CMakeFiles"
  fi
  if command -v ccache >/dev/null 2>&1; then
    [ -n "${HOME:-}" ] || export CCACHE_DIR="${CCACHE_DIR:-$(pwd)/build/ccache}"
    set -- -DCMAKE_CXX_COMPILER_LAUNCHER=ccache "$@"
  fi
  cmake --preset "$preset_" -B "$folder_" "$@"
  cmake --build "$folder_" --target "$target_" -j "$jobs"
}
