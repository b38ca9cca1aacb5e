import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tryRun, which } from './command.mjs'

/** Older ones lack what the dashboard's styles use (nesting, `light-dark()`). */
export const MINIMUM_CHROMIUM = 123

const NAMES = ['chromium-headless-shell', 'chromium', 'google-chrome', 'google-chrome-stable']

/** A browser that the machine has, if it is new enough. */
export const findChromium = () => NAMES.map(which).find((path) => path !== undefined && isChromium(path))

export function isChromium(path) {
  const major = /(?:Chromium|Chrome)\D* (\d+)\./.exec(tryRun(path, ['--version']) ?? '')?.[1]
  return Number(major) >= MINIMUM_CHROMIUM
}

// The libraries that the program loads, and those that they load. The C library is not among them: the machine's
// own is used, so that its loader and its libc are of one release.
const LIBRARIES = [
  ...[
    'asound2',
    'asyncns0',
    'atk1.0-0',
    'atspi2.0-0',
    'blkid1',
    'brotli1',
    'bsd0',
    'cap2',
    'dav1d6',
    'dbus-1-3',
  ],
  ...['double-conversion3', 'drm2', 'expat1', 'ffi8', 'flac12', 'fontconfig1', 'freetype6', 'gbm1', 'gcc-s1'],
  ...['gcrypt20', 'glib2.0-0', 'gpg-error0', 'graphite2-3', 'harfbuzz-subset0', 'harfbuzz0b', 'jpeg62-turbo'],
  ...[
    'lz4-1',
    'lzma5',
    'md0',
    'minizip1',
    'mount1',
    'mp3lame0',
    'mpg123-0',
    'nspr4',
    'nss3',
    'ogg0',
    'openh264-7',
  ],
  ...['opus0', 'pcre2-8-0', 'png16-16', 'pulse0', 'selinux1', 'sndfile1', 'sqlite3-0', 'stdc++6', 'systemd0'],
  ...[
    'udev1',
    'vorbis0a',
    'vorbisenc2',
    'wayland-server0',
    'x11-6',
    'x11-xcb1',
    'xau6',
    'xcb1',
    'xcomposite1',
  ],
  ...[
    'xdamage1',
    'xdmcp6',
    'xext6',
    'xfixes3',
    'xi6',
    'xkbcommon0',
    'xnvctrl0',
    'xrandr2',
    'xrender1',
    'zstd1',
  ],
].map((name) => `lib${name}`)

/** About 100 MB to download: the browser without its windows, its libraries, and one family of fonts. */
export const DEBIAN_CHROMIUM = {
  name: 'chromium-headless-shell',
  suite: 'bookworm',
  program: 'chromium',
  needs: ['chromium-common', 'zlib1g', 'fonts-dejavu-core', ...LIBRARIES],
  finish: writeProgram,
}

// What is unpacked and not installed has to be told where its libraries and fonts are. With these fonts alone, a
// page looks the same on every machine. The folder may be moved later, so no path is written down.
function writeProgram(folder) {
  const program = join(folder, DEBIAN_CHROMIUM.program)
  writeFileSync(program, PROGRAM)
  chmodSync(program, 0o755)
  writeFileSync(join(folder, 'fonts.conf'), FONTS)
}

const PROGRAM = `#!/bin/sh
home=$(dirname "$(readlink -f "$0")")
for folder in "$home"/usr/lib/*-linux-gnu* "$home"/lib/*-linux-gnu* "$home"/usr/lib/*-linux-gnu*/pulseaudio; do
  LD_LIBRARY_PATH="$folder\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
done
export LD_LIBRARY_PATH FONTCONFIG_FILE="$home/fonts.conf"
exec "$home/usr/lib/chromium/chromium-headless-shell" "$@"
`

const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir prefix="relative">usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`
