import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { run } from '../../setup/command.mjs'
import { downloadDebianPackages } from '../../setup/debian.mjs'
import { sha256 } from '../checksums.ts'
import type { Platform } from '../platforms.ts'
import type { DebianPackage } from '../sbom.ts'
import type { TarEntry } from '../tar.ts'
import { dataFolder, imageUser } from './image-layout.ts'

const SUITE = 'trixie'
/** The libraries that Node is linked against. Node has its own root certificates. */
const PACKAGES = ['libc6', 'libgcc-s1', 'libstdc++6', 'libatomic1', 'gcc-14-base']

export interface BaseLayer {
  readonly entries: readonly TarEntry[]
  readonly packages: readonly DebianPackage[]
}

/** The lowest layer: libraries of Debian, a user, and nothing that could be run: no shell, no package manager. */
export async function makeBaseLayer({ arch }: Platform): Promise<BaseLayer> {
  const work = mkdtempSync(join(tmpdir(), 'strata-image-'))
  try {
    const archives = await downloadDebianPackages({
      ...{ names: PACKAGES, suite: SUITE, architecture: arch, into: work },
    })
    const unpacked = join(work, 'root')
    const records: TarEntry[] = []
    const packages: DebianPackage[] = []
    for (const archive of archives) {
      await run('dpkg-deb', ['-x', archive, unpacked])
      const control: string = await run('dpkg-deb', ['-f', archive])
      const described = describe(control, readFileSync(archive))
      packages.push(described)
      // Where scanners look for the packages of an image without dpkg.
      records.push({ path: `var/lib/dpkg/status.d/${described.name}`, content: Buffer.from(control) })
    }
    return { entries: [...foundation(), ...records, ...readTree(unpacked).filter(isNeeded)], packages }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function describe(control: string, bytes: Uint8Array): DebianPackage {
  const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(control)?.[1] ?? ''
  const [name, version, architecture] = ['Package', 'Version', 'Architecture'].map(field)
  return {
    name: name ?? '',
    version: version ?? '',
    architecture: architecture ?? '',
    sha256: sha256(bytes),
  }
}

/** Libraries, the program that loads them, and their licences; no conversion tables, and no programs. */
const isNeeded = ({ path }: TarEntry): boolean =>
  /^usr(?:\/lib(?:64)?(?:\/|$)|$)/.test(path)
    ? !/\/(?:gconv|audit|locale)(?:\/|$)/.test(path)
    : /^usr\/share(?:$|\/doc(?:$|\/[^/]+(?:$|\/copyright$)))/.test(path)

/** What Debian's base-files would bring. */
const foundation = (): readonly TarEntry[] => [
  ...['etc', 'proc', 'var', 'var/lib', 'var/lib/dpkg', 'var/lib/dpkg/status.d', 'usr/bin'].map((path) => ({
    path,
  })),
  { path: 'tmp', mode: 0o1777 },
  { path: dataFolder, mode: 0o700, owner: imageUser },
  { path: 'lib', link: 'usr/lib' },
  { path: 'lib64', link: 'usr/lib64' },
  { path: 'etc/passwd', content: Buffer.from(passwd) },
  { path: 'etc/group', content: Buffer.from(`root:x:0:\nstrata:x:${imageUser}:\n`) },
  { path: 'etc/os-release', content: Buffer.from(osRelease) },
]

const passwd = `root:x:0:0:root:/:/nologin\nstrata:x:${imageUser}:${imageUser}:strata:/${dataFolder}:/nologin\n`
const osRelease = `ID=debian\nVERSION_CODENAME=${SUITE}\nPRETTY_NAME="Strata on libraries of Debian ${SUITE}"\n`

function readTree(top: string, below = ''): readonly TarEntry[] {
  return readdirSync(join(top, below)).flatMap((name): readonly TarEntry[] => {
    const path = below === '' ? basename(name) : `${below}/${name}`
    const stat = lstatSync(join(top, path))
    if (stat.isSymbolicLink()) return [{ path, link: readlinkSync(join(top, path)) }]
    if (stat.isDirectory()) return [{ path }, ...readTree(top, path)]
    return [{ path, content: readFileSync(join(top, path)), mode: stat.mode & 0o777 }]
  })
}
