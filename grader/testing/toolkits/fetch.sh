#!/bin/sh
# SPDX-License-Identifier: MIT
# Fetches the CUDA Toolkits of Debian 12 (11.8, with g++-11) and Debian 13 (12.4) as packages and unpacks them, each into
# a folder of its own that CUDA_HOME may name. Nothing is installed; apt keeps lists and packages below FOLDER alone.
#
# usage: fetch.sh [FOLDER]      FOLDER: .cache/toolkits of the repository, if not given
#
# NVIDIA's licence of the CUDA Toolkit applies to what is fetched; Debian keeps it in non-free.
set -eu

folder=${1:-$(cd "$(dirname "$0")/../../.." && pwd)/.cache/toolkits}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
common='nvidia-cuda-toolkit nvidia-cuda-dev libnvvm4 libcu++-dev libthrust-dev libcub-dev'

# The mirror that this machine's apt uses; DEBIAN_MIRROR names one where the machine is no Debian.
mirror() {
  if [ -n "${DEBIAN_MIRROR:-}" ]; then
    echo "$DEBIAN_MIRROR"
    return
  fi
  found=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' |
    grep -v security | sort -u | head -n 1)
  [ -n "$found" ] || { echo "$0: let DEBIAN_MIRROR name a mirror of Debian" >&2; exit 2; }
  echo "$found"
}

private_apt() {
  command=$1
  shift
  "$command" -o Dir::Etc::sourcelist="$folder/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::State::lists="$folder/lists" -o Dir::Cache="$folder/cache" -o APT::Sandbox::User=root "$@"
}

# fetch RELEASE FOLDER PACKAGE...
fetch() {
  release=$1 to=$folder/$2
  shift 2
  if [ -x "$to/bin/nvcc" ]; then return; fi
  mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial" "$folder/debs-$release"
  for each in bookworm trixie; do
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(mirror) $each main non-free"
  done >"$folder/sources.list"
  if [ ! -e "$folder/fresh" ]; then
    private_apt apt-get -qq update
    touch "$folder/fresh"
  fi
  named=''
  for package in "$@"; do named="$named $package/$release"; done
  (cd "$folder/debs-$release" && private_apt apt-get -qq download $named)
  unpack "$folder/debs-$release" "$to"
  rm -rf "$folder/debs-$release"
}

# Lays the files out as NVIDIA's own installer does: bin, include, lib64 and nvvm below one folder.
unpack() {
  rm -rf "$2.part"
  mkdir -p "$2.part"
  # Static libraries are nine tenths of the bytes; linkers need the small ones.
  for package in "$1"/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x -C "$2.part" --exclude='*_static*.a' --exclude='*/nsight*' \
      --exclude='./usr/share/*' --exclude='./etc/*' --transform='s,^\./usr/,./,'
  done
  lay_out "$2.part"
  mv "$2.part" "$2"
}

lay_out() {
  own=$1/lib/nvidia-cuda-toolkit
  mkdir -p "$1/nvvm/bin"
  ln -s "lib/$(uname -m)-linux-gnu" "$1/lib64"
  ln -s ../lib/nvidia-cuda-toolkit/libdevice "$1/nvvm/libdevice"
  mv "$own/bin/cicc" "$1/nvvm/bin/"
  mv -f "$own/bin/nvcc" "$1/bin/nvcc"
  mv "$own/bin/crt" "$1/bin/crt"
  # g++ of the package calls the newest compiler that nvcc takes; where one was unpacked it is that.
  if [ -x "$1/bin/g++-11" ]; then
    printf '%s\n' '#!/bin/sh' 'exec "$(dirname "$0")/../../../bin/g++-11" "$@"' >"$own/bin/g++"
    printf '%s\n' '#!/bin/sh' 'exec "$(dirname "$0")/../../../bin/gcc-11" "$@"' >"$own/bin/gcc"
  fi
  cat >"$1/bin/nvcc.profile" <<'EOF'
TOP                = $(_HERE_)/..
CICC_PATH          = $(TOP)/nvvm/bin
NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice
PATH              += $(TOP)/lib/nvidia-cuda-toolkit/bin:$(CICC_PATH):$(_HERE_):
INCLUDES          += "-isystem" "$(TOP)/include" $(_SPACE_)
LIBRARIES          =+ $(_SPACE_) "-L$(TOP)/lib64/stubs" "-L$(TOP)/lib64"
EOF
}

fetch bookworm 11.8 $common libcudart11.0 g++-11 gcc-11 cpp-11 libgcc-11-dev libstdc++-11-dev
fetch trixie 12.4 $common libcudart12
echo "$folder/11.8"
echo "$folder/12.4"
