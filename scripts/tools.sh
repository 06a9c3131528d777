# Sourced by the other scripts: finds the tools that are needed and installs the missing ones.
#
# With root, or with sudo that asks for no password, through the system's package manager; else it prints the
# exact line to type and says what can be built without. Set LIGHTFAST_NO_INSTALL=1 to never install anything.

say() { printf '%s\n' "$*" >&2; }

# The package manager's install command, or nothing.
installer() {
  if command -v apt-get >/dev/null; then echo "apt-get install -y --no-install-recommends"
  elif command -v dnf >/dev/null; then echo "dnf install -y"
  elif command -v pacman >/dev/null; then echo "pacman -S --needed --noconfirm"
  elif command -v zypper >/dev/null; then echo "zypper --non-interactive install"
  elif command -v apk >/dev/null; then echo "apk add"
  elif command -v brew >/dev/null; then echo "brew install"
  fi
}

# The package that holds a program, where it is not called the same.
package_of() {
  case "$1:$(installer)" in
    cc:apt-get*) echo build-essential ;;
    cc:apk*) echo build-base ;;
    cc:*) echo gcc ;;
    exiftool:apt-get*) echo libimage-exiftool-perl ;;
    exiftool:dnf* | exiftool:apk*) echo perl-image-exiftool ;;
    exiftool:pacman*) echo perl-image-exiftool ;;
    dcraw_emu:apt-get*) echo libraw-bin ;;
    dcraw_emu:*) echo libraw ;;
    mkfs.ext4:*) echo e2fsprogs ;;
    mkfs.btrfs:*) echo btrfs-progs ;;
    mkfs.exfat:*) echo exfatprogs ;;
    mount.exfat-fuse:*) echo exfat-fuse ;;
    mkfs.xfs:* | xfs_io:*) echo xfsprogs ;;
    fusermount3:*) echo fuse3 ;;
    nbdfuse:apt-get*) echo libnbd-bin ;;
    nbdfuse:*) echo libnbd ;;
    sftp-server:apt-get*) echo openssh-sftp-server ;;
    sftp-server:*) echo openssh ;;
    sshfs:dnf* | sshfs:zypper*) echo fuse-sshfs ;;
    c++:apt-get*) echo build-essential ;;
    c++:apk*) echo build-base ;;
    c++:dnf*) echo gcc-c++ ;;
    c++:*) echo gcc ;;
    pkg-config:dnf* | pkg-config:pacman* | pkg-config:apk*) echo pkgconf ;;
    libde265:apt-get*) echo libde265-dev ;;
    libde265:dnf*) echo libde265-devel ;;
    libde265:apk*) echo libde265-dev ;;
    dav1d:apt-get*) echo libdav1d-dev ;;
    dav1d:dnf*) echo libdav1d-devel ;;
    dav1d:apk*) echo dav1d-dev ;;
    setpriv:*) echo util-linux ;;
    *) echo "$1" ;;
  esac
}

# The programs among the arguments that are not there.
missing() {
  local tool
  for tool in "$@"; do
    # The SFTP server lies beside no other program.
    [ "$tool" != sftp-server ] || [ ! -x /usr/lib/openssh/sftp-server ] || continue
    command -v "$tool" >/dev/null || printf '%s ' "$tool"
  done
}

packages_of() {
  local tool
  for tool in "$@"; do package_of "$tool"; done | sort -u | tr '\n' ' '
}

# How to become root without being asked for a password: "sudo -n", nothing for root; fails where it cannot be.
as_root() {
  case "$(installer)" in brew*) return 0 ;; esac
  if [ "$(id -u)" = 0 ]; then return 0; fi
  if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then echo "sudo -n"; return 0; fi
  return 1
}

# Installs packages; says nothing when it goes well.
install_packages() {
  local become install log
  [ -z "${LIGHTFAST_NO_INSTALL:-}" ] || return 1
  install=$(installer)
  [ -n "$install" ] || return 1
  become=$(as_root) || return 1
  log=$(mktemp)
  # shellcheck disable=SC2086
  case "$install" in apt-get*) $become env DEBIAN_FRONTEND=noninteractive apt-get update -q >"$log" 2>&1 || true ;; esac
  # shellcheck disable=SC2086
  if $become env DEBIAN_FRONTEND=noninteractive $install "$@" >>"$log" 2>&1; then rm -f "$log"; return 0; fi
  say "Installing $* failed; the end of what was said:"
  tail -n 5 "$log" >&2
  rm -f "$log"
  return 1
}

# The line that a person types to install the packages.
install_line() {
  local install
  install=$(installer)
  case "$install" in
    "") echo "install with your system's package manager: $*" ;;
    brew*) echo "$install $*" ;;
    *) echo "sudo $install $*" ;;
  esac
}

# The codecs among the arguments that a compiler would not find.
missing_codecs() {
  local codec
  for codec in "$@"; do
    pkg-config --exists "$codec" 2>/dev/null || printf '%s ' "$codec"
  done
}

# Pictures of HEIF files need a C++ compiler, pkg-config and two codecs. What is missing is installed where that may be;
# else `features` becomes what cargo must be told to build without them.
features=()
want_heif() {
  local tools codecs packages
  tools=$(missing c++ pkg-config)
  codecs=$(missing_codecs libde265 dav1d)
  if [ -n "$tools$codecs" ]; then
    # shellcheck disable=SC2086
    packages=$(packages_of $tools $codecs)
    # shellcheck disable=SC2086
    install_packages $packages || true
    tools=$(missing c++ pkg-config)
    codecs=$(missing_codecs libde265 dav1d)
  fi
  [ -n "$tools$codecs" ] || return 0
  # shellcheck disable=SC2034
  [ -z "$tools" ] || features=(--no-default-features)
  # shellcheck disable=SC2086
  say "HEIF files will be imported, but not shown, without: $tools$codecs($(install_line $(packages_of $tools $codecs)))"
}

# What a build needs, or an end with the exact line to type.
need_build_tools() {
  if ! command -v cargo >/dev/null; then
    say "Rust is missing. Install it from https://rustup.rs, then run this again."
    exit 1
  fi
  local tools packages
  tools=$(missing cc cmake nasm)
  if [ -z "$tools" ]; then want_heif; return 0; fi
  # shellcheck disable=SC2086
  packages=$(packages_of $tools)
  say "Missing build tools: $tools"
  # shellcheck disable=SC2086
  if install_packages $packages; then
    # shellcheck disable=SC2086
    tools=$(missing $tools)
    if [ -z "$tools" ]; then want_heif; return 0; fi
  fi
  # shellcheck disable=SC2086
  say "Install them with:" && say "" && say "    $(install_line $packages)" && say ""
  case "$tools" in
    *cc*) say "Without a C compiler only the crates lightfast-model and lightfast-media can be built." ;;
    *) say "Without them these can be built: cargo build -p lightfast-media -p lightfast-catalog -p lightfast-import"
       say "(facts of files, catalogue and import; the JPEG decoder for thumbnails and the command line cannot)." ;;
  esac
  exit 1
}

# What the web app's tests and build need: Node 20.19 or later, npm, and the packages of the lockfile. Where one of them
# cannot be had, `without` becomes the reason and the status is 1; a lockfile that does not fit is an error.
# Installs Node where CI or LIGHTFAST_INSTALL is set.
want_node() {
  local log
  if [ -n "$(missing node npm)" ] && [ -n "${CI:-}${LIGHTFAST_INSTALL:-}" ]; then
    say "Installing Node, for the app ..."
    install_packages nodejs npm || true
  fi
  # shellcheck disable=SC2034
  if [ -n "$(missing node npm)" ]; then without="no Node here"; return 1; fi
  if ! node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)'; then
    without="Node $(node --version) is older than 20.19"
    return 1
  fi
  [ "${1:-}" != kept ] || [ ! -d web/node_modules/playwright-core ] || return 0
  log=$(mktemp)
  if (cd web && timeout 300 npm ci --no-audit --no-fund >"$log" 2>&1); then rm -f "$log"; return 0; fi
  # A lockfile that does not fit is ours to mend; that packages cannot be had now is not.
  if grep -q 'EUSAGE' "$log"; then cat "$log" >&2; rm -f "$log"; exit 1; fi
  # shellcheck disable=SC2034
  without="npm could not get the packages: $(tail -n 1 "$log")"
  rm -f "$log"
  return 1
}
