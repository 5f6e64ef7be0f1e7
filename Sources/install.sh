# Sourced by run.sh and by the tests' run.sh: the Debian packages, and how they are installed.

# What the toolchain and the package need to build.
build_packages="g++ libstdc++-12-dev pkg-config libssl-dev zlib1g-dev libsqlite3-dev libsimdjson-dev"
# What the tests need besides.
test_packages="chromium nginx-light openssl python3 python3-pytest python3-websockets testssl.sh"

# Installs those of the packages that are missing; asks for nothing.
install_packages() {
  local missing=() package
  for package in "$@"; do
    dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done
  [ "${#missing[@]}" -eq 0 ] && return
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "install ${missing[*]} as root first, or install sudo" >&2; exit 1; }
    as_root=(sudo)
  fi
  echo "installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}
