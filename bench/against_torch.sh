#!/bin/sh
# Ours and PyTorch's from one run on this machine: each part of bench/torch/ measures both sides in turn and prints the ratio.
#
#   sh bench/against_torch.sh [part …]       digits, …: the names of bench/torch/*.py; without a name all of them
#
# AMPHORA_TORCH_PYTHON=python   a Python that has torch and scikit-learn; without it a venv is made in build/torch (about 4 GB)
# The exit status is 1 where a ratio that is asked for was missed.
set -eu
cd "$(dirname "$0")/.."

python=${AMPHORA_TORCH_PYTHON:-build/torch/bin/python}
if ! "$python" -c 'import torch, sklearn' 2>/dev/null; then
  sh cmake/packages.sh python3=python3
  python3 -m venv build/torch 2>/dev/null || { apt-get install -y -q python3-venv && python3 -m venv build/torch; }
  python=build/torch/bin/python
  "$python" -m pip install -q --disable-pip-version-check torch numpy scikit-learn
fi

sh cmake/packages.sh cmake=cmake ninja-build=ninja g++=g++ libboost-dev=boost/hana.hpp libeigen3-dev=eigen3/Eigen/Core \
  libcli11-dev=CLI/CLI.hpp libfmt-dev=fmt/format.h libbenchmark-dev=benchmark/benchmark.h
. cmake/build.sh
mkdir -p build
failed=0
for part in ${*:-$(basename -s .py bench/torch/*.py)}; do
  file=bench/torch/$part.py
  target=$(sed -n 's/^# builds: //p' "$file")  # the program that the part measures
  target=${target:-all}
  amphora_build host build/native "$target" -DAMPHORA_NATIVE=ON -DAMPHORA_BUILD_TESTS=OFF >build/native.log 2>&1 || { tail -n 40 build/native.log; exit 1; }
  echo "== $part: $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)"
  "$python" "$file" --build build/native || failed=1
done
exit $failed
