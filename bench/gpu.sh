#!/bin/sh
# All that needs a GPU, in one run of at most eight minutes: the suite, compute-sanitizer, the benchmarks, the digits.
#
#   sh bench/gpu.sh [folder for the results]        on a machine with a GPU and CUDA 12 or newer, CMake and ninja
#   sh bench/gpu.sh --emulated [folder]             the same on the emulated device, to rehearse it
#
# The machine needs nothing else where the headers were carried (sh bench/carry.sh, elsewhere); PyTorch is compared with where
# `python3` has it. Writes results.json and the logs into the folder (default: $OUT, else build/gpu/results) and prints one table.
# The exit status is 1 where something was built or found wrong; timings never fail it.
#
# AMPHORA_GPU_MINUTES=8  what all of it may take: each part gets what is left, and the last ones are left out with a word
set -eu
cd "$(dirname "$0")/.."
emulated=
[ "${1:-}" != --emulated ] || { emulated=1; shift; }
results=${1:-${OUT:-build/gpu/results}}
mkdir -p "$results"
results=$(cd "$results" && pwd)
: >"$results/lines.json"
start=$(date +%s)
last=$((start + ${AMPHORA_GPU_MINUTES:-8} * 60))
jobs=$(nproc)
failed=0
optional=  # where set, a part may be cut

left() { echo $((last - $(date +%s))); }
say() { printf '[%3d s] %s\n' $(($(date +%s) - start)) "$*"; }
# part seconds name command…: runs it within so many seconds and what is left, its output into name.log
part() {
  limit=$1 name=$2
  shift 2
  remains=$(left)
  [ "$limit" -le "$remains" ] || limit=$remains
  if [ "$limit" -lt 10 ]; then
    say "$name: left out, the time is up"
    summary "$name" 'left out'
    return 0
  fi
  status=0
  timeout -k 5 "$limit" "$@" >"$results/$name.log" 2>&1 || status=$?
  case $status in
    0) say "$name: ok"; summary "$name" ok ;;
    77) say "$name: not here ($(tail -n 1 "$results/$name.log"))"; summary "$name" 'not here' ;;
    124 | 137) say "$name: cut after $limit s"; summary "$name" cut; [ -n "$optional" ] || failed=1 ;;
    *) say "$name: status $status"; tail -n 30 "$results/$name.log"; summary "$name" "status $status"; failed=1 ;;
  esac
  return 0
}
summary() { printf '{"part": "%s", "result": "%s"}\n' "$1" "$2" >>"$results/lines.json"; }

if [ -n "$emulated" ]; then
  folder=build/gpu-rehearsal label=emulated suffix=_emulated device='the emulated device'
  configure="-DAMPHORA_GPU_TESTS=OFF -DAMPHORA_CUDA_PROGRAMS=OFF"
  shapes=1e3x1,1e3x3 seconds=0.001 epochs=1 each=120 tests=^test_
else
  folder=build/gpu label=gpu suffix=
  device=$(nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader | head -n 1) || { echo 'gpu.sh: nvidia-smi finds no GPU' >&2; exit 1; }
  architecture=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)
  configure="-DAMPHORA_GPU_TESTS=ON -DAMPHORA_CUDA_PROGRAMS=ON -DCMAKE_CUDA_ARCHITECTURES=$architecture"
  shapes=1e6x1,1e7x1,1e8x1,1e9x1,1e4x1000,1e5x1000 seconds=0.3 epochs=30 each=60 tests='^test_.*_gpu$'
fi
say "$device, $jobs cores"
printf '{"device": "%s", "date": "%s", "commit": "%s"}\n' "$device" "$(date -u +%F)" "$(git rev-parse --short HEAD 2>/dev/null || echo unknown)" >>"$results/lines.json"

generator= keep_going=-k
if command -v ninja >/dev/null 2>&1; then generator='-G Ninja' keep_going='-k 0'; fi
# The tests whose programs were not built, as a pattern for ctest.
missing() {
  cmake --build "$folder" --target help | grep -oE '\b(test|example|recipe|train_digits)_[A-Za-z0-9_]+' | grep -E "$tests|^example_.*$suffix\$|_cuda$suffix\$" | sort -u | while read -r name; do
    [ -n "$(find "$folder" -type f -name "$name" -perm -u+x | head -n 1)" ] ||
      echo "$name" | sed -E "s/^test_//; s/^train_digits_cuda$suffix\$/digits.device.$label/; s/^recipe_(.*)_cuda$suffix\$/recipe.\\1.$label/; s/^example_(.*)$suffix\$/example.\\1.$label/; s/^/|/" | tr -d '\n'
  done
}
# A part that needs a program of this build: built program seconds name command…
built() {
  program=$programs/$1
  shift
  if [ -x "$program" ]; then part "$@"; else say "$2: not built in time"; summary "$2" 'not built in time'; fi
}
part 30 configure cmake -S . -B "$folder" $generator -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$(pwd)/bench/carried" \
  -DBOOST_ROOT="$(pwd)/bench/carried" -DCMAKE_CUDA_FLAGS_RELEASE='-O1 -DNDEBUG' \
  -DAMPHORA_SLOW_TESTS=OFF -DAMPHORA_INSTALL=OFF $configure  # the host's side of CUDA sources at -O1: ptxas optimizes at 3 whatever that is
programs=$(cd "$folder" && pwd)
# First what is measured, the device's own tests and the digits; then, as far as its time goes, all other tests.
if [ -n "$emulated" ]; then own='test_cuda_step test_cuda_context test_cuda_products test_cuda_ops'; else own='test_cuda_step_gpu test_cuda_context_gpu test_cuda_products_gpu test_cuda_ops_gpu'; fi
part 90 build-phase cmake --build "$folder" -j "$jobs" --target cuda_phase$suffix
part 200 build cmake --build "$folder" -j "$jobs" --target $own train_digits_cuda$suffix -- $keep_going  # nvcc takes two minutes for the digits' transformer
optional=1
rest=$(($(left) - 220))  # what is to be run takes about as long
[ "$rest" -lt 150 ] || rest=150
part "$rest" build-others cmake --build "$folder" -j "$jobs" --target gpu_programs -- $keep_going
optional=
part 120 suite ctest --test-dir "$folder" -L "$label" -E "^(nothing$(missing))\$" --timeout $each -j "$jobs" --output-on-failure --no-tests=error
if [ -n "$emulated" ]; then :; elif command -v compute-sanitizer >/dev/null 2>&1; then
  # What no emulator sees: races between threads and blocks, and memory that is read before it is written.
  for tool in memcheck racecheck initcheck; do
    built bench/cuda_phase 45 "sanitizer-$tool" compute-sanitizer --tool "$tool" --error-exitcode 1 "$programs/bench/cuda_phase" --shapes 3e4x2,7x3 --seconds 0.001
  done
  built examples/train_digits_cuda 45 sanitizer-digits compute-sanitizer --error-exitcode 1 "$programs/examples/train_digits_cuda" --device cuda --level O2 --epochs 1 --batch 500
else
  summary sanitizer 'not here'
fi
built bench/cuda_phase$suffix 60 phase "$programs/bench/cuda_phase$suffix" --shapes $shapes --seconds $seconds
optional=1
[ -n "$emulated" ] || part 60 torch python3 bench/cuda/torch_phase.py --shapes $shapes --seconds $seconds
optional=
for level in O0 O1 O2; do
  built examples/train_digits_cuda$suffix 60 digits-$level "$programs/examples/train_digits_cuda$suffix" --device cuda --level $level --format f16 --epochs $epochs
done

for log in phase torch; do [ ! -f "$results/$log.log" ] || grep '^{' "$results/$log.log" >>"$results/lines.json" || true; done
{ echo '['; sed '$!s/$/,/' "$results/lines.json"; echo ']'; } >"$results/results.json"

echo
echo "== $device"
awk -F'"' '/"part"/ { printf "%-20s %s\n", $4, $8 }' "$results/lines.json"
grep -hE '^[0-9]+% tests passed' "$results/suite.log" 2>/dev/null || true
not_built=$(missing | tr '|' ' ')
[ -z "$not_built" ] || echo "not built in time:$not_built"
# One row a shape: ours as calls and as a graph, the share of the copy, PyTorch's two styles.
awk '
  function value(key,   found) { found = match($0, "\"" key "\": *\"?[^,\"}]*"); if (!found) return ""; text = substr($0, RSTART, RLENGTH); sub(/^"[^"]*": *"?/, "", text); return text }
  /"bench": "phase"/ { key = value("format") " " value("elements") " x " value("tensors"); order[++rows] = key; eager[key] = value("eager_ms"); graph[key] = value("graph_ms"); share[key] = value("share"); speed[key] = value("gb_s") }
  /"bench": "torch_phase"/ { key = value("format") " " value("elements") " x " value("tensors"); theirs[key, value("style")] = value("ms") }
  END {
    if (!rows) exit
    printf "\n%-28s %10s %10s %10s %8s %12s %12s\n", "phase, ms", "calls", "graph", "GB/s", "of copy", "torch O2", "torch amp"
    for (i = 1; i <= rows; ++i) { k = order[i]; printf "%-28s %10s %10s %10s %8s %12s %12s\n", k, eager[k], graph[k], speed[k], share[k], theirs[k, "O2"], theirs[k, "autocast"] }
  }' "$results/lines.json"
for level in O0 O1 O2; do [ ! -f "$results/digits-$level.log" ] || grep -h "^$level .*%" "$results/digits-$level.log" | tail -n 1; done
say "done; results in $results"
exit $failed
