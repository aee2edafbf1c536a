#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: bootstrap_toolkit_test.sh ROOT
#
# What `bootstrap toolkit` says and asks on a machine without nvcc. Stand-ins for apt and sudo note each call: without
# consent nothing is installed and no component is switched on.
set -eu

root=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
for tool in sh env dirname sed grep head tail sort ls cat printf; do ln -s "$(command -v "$tool")" "$scratch/bin/$tool"; done
for tool in apt-get apt-cache sudo id; do
  printf '#!/bin/sh\necho "%s $*" >>"%s/calls"\n' "$tool" "$scratch" >"$scratch/bin/$tool"
  chmod +x "$scratch/bin/$tool"
done
printf '#!/bin/sh\necho 0\n' >"$scratch/bin/id"
mkdir -p "$scratch/apt/sources.list.d"
sources=$scratch/apt/sources.list.d/debian.sources
printf 'Types: deb\nSuites: bookworm\nComponents: main\n' >"$sources"
echo 'deb mirror bookworm main' >"$scratch/apt/sources.list"

# offer ID VERSION ARGUMENT...: what bootstrap says there
offer() {
  printf 'ID=%s\nVERSION_ID=%s\n' "$1" "$2" >"$scratch/os-release"
  shift 2
  : >"$scratch/calls"
  env -i PATH="$scratch/bin" OS_RELEASE="$scratch/os-release" USR_LOCAL="$scratch" APT_FOLDER="$scratch/apt" sh "$root/bootstrap" "$@" toolkit </dev/null 2>&1 || true
}

expect() {
  case $said in *"$1"*) ;; *) echo "not said: $1"; echo "$said"; exit 1 ;; esac
  if grep -E 'install -y|update|^sudo' "$scratch/calls"; then echo "called without consent"; exit 1; fi
  if grep non-free "$sources"; then echo "switched on without consent"; exit 1; fi
}

said=$(offer debian 12)
expect 'CUDA 11.8 as the package nvidia-cuda-toolkit, in its component non-free: about 1.6 GB to download'
expect 'https://docs.nvidia.com/cuda/eula'
expect 'apt does not read the component non-free yet'
expect 'nobody is there to ask: run `'
said=$(offer debian 13)
expect 'CUDA 12.4 as the package nvidia-cuda-toolkit, in its component non-free: about 1.9 GB'
said=$(offer ubuntu 22.04 --toolkit none)
expect 'CUDA 11.5 as the package nvidia-cuda-toolkit, in its component multiverse'
expect 'no toolkit was installed, as --toolkit none says.'
said=$(offer ubuntu 24.04)
expect 'CUDA 12.0 as the package'
said=$(offer arch 1)
expect 'knows of no package of the CUDA Toolkit for this distribution'
# With consent, twice: the component is named once.
offer debian 12 --toolkit distribution >/dev/null
offer debian 12 --toolkit distribution >/dev/null
grep -q 'install -y --no-install-recommends nvidia-cuda-toolkit' "$scratch/calls"
[ "$(grep Components "$sources")" = 'Components: main non-free' ]
[ "$(cat "$scratch/apt/sources.list")" = 'deb mirror bookworm main non-free' ]
# non-free-firmware is another component.
printf 'Components: main non-free-firmware\n' >"$sources"
offer debian 12 --toolkit distribution >/dev/null
[ "$(cat "$sources")" = 'Components: main non-free-firmware non-free' ]
echo "5 distributions asked"
