// `npm run package`: what a person without the clone, or without Node, installs. `--help` lists it.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { REQUIRED_MAJOR } from '../../packages/cli/bin/pinned-node.mjs'
import { bundleForExecutable } from '../bundle-command.ts'
import { builtDashboard } from '../dashboard/built-dashboard.ts'
import { root } from '../repository.ts'
import { isDebianAvailable } from '../setup/debian.mjs'
import { filesBelow, writeArchive } from './archives.ts'
import { renderChecksums, sha256 } from './checksums.ts'
import { componentAt, componentsOf } from './components.ts'
import { buildExecutable } from './executable.ts'
import { makeBaseLayer } from './image/base-layer.ts'
import { layOutImage, type PlatformImage, programPath } from './image/image-layout.ts'
import { type KrewArchive, renderKrewManifest } from './krew-manifest.ts'
import { packLibraries } from './library-archives.ts'
import { readLockFile } from './lock-file.ts'
import { readLicences } from './notices.ts'
import { packForNpm } from './npm-package.ts'
import { choosePlatforms, hostPlatform, type Platform, platformName } from './platforms.ts'
import { type DebianPackage, renderSbom } from './sbom.ts'
import { type TarEntry, writeTar } from './tar.ts'

const help = `Builds what is published, into dist/release:

  strata-VERSION-OS-ARCH.tar.gz   the executable, which needs no Node, with licences
  OS-ARCH/strata                  the same executable, unpacked
  strata-VERSION-npm.tgz          the command for npm install -g, for Node ${REQUIRED_MAJOR} or newer
  strata-NAME-VERSION.tgz         the packages @strata/NAME, for programs that import them
  strata-VERSION-chart.tgz        the Helm chart
  strata-VERSION-image.tar        the container image, as an OCI layout
  strata.yaml                     the krew manifest
  sbom.cdx.json                   what is inside, as CycloneDX
  SHA256SUMS

Options:
  --platforms LIST   host (default), all, or some of linux-amd64, linux-arm64, darwin-amd64, darwin-arm64
  --out DIR          another folder; it is emptied first
  --base-url URL     where the archives will be downloaded from, for the krew manifest
  --no-image         no container image: it takes libraries from Debian, with apt-get and dpkg-deb

Examples:
  npm run package
  npm run package -- --platforms all --base-url https://downloads.example.dev/strata
`

const { values } = parseArgs({
  allowNegative: true,
  options: {
    platforms: { type: 'string', default: 'host' },
    out: { type: 'string', default: join(root, 'dist', 'release') },
    'base-url': { type: 'string', default: 'https://downloads.example.dev/strata' },
    image: { type: 'boolean', default: true },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) process.stdout.write(help)
else await buildRelease(choosePlatforms(values.platforms, hostPlatform()), resolve(values.out))

async function buildRelease(chosen: readonly Platform[], out: string): Promise<void> {
  if (values.image && !isDebianAvailable())
    throw new Error(
      'the image needs apt-get and dpkg-deb: build it on Debian, or leave it out with --no-image',
    )
  const [first] = chosen
  if (first === undefined) throw new Error('--platforms names none')
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  const work = mkdtempSync(join(out, 'work-'))
  const published = new Map<string, Buffer>()
  const publish = (name: string, content: string | Buffer): void => {
    const bytes = Buffer.from(content)
    published.set(name, bytes)
    writeFileSync(join(out, name), bytes)
    process.stdout.write(`${relative(root, join(out, name))}\n`)
  }
  try {
    const bundle = join(work, 'strata.mjs')
    const { inputs } = await bundleForExecutable(bundle)
    const lock = readLockFile()
    // The files of the dashboard are in the bundle as text: what they were made from is inside, too.
    const dashboard = await builtDashboard()
    const components = componentsOf([...Object.keys(inputs), ...dashboard.inputs], lock)
    const licences = await readLicences(first, components)

    const archives: KrewArchive[] = []
    const completed = 'kubectl_complete-strata'
    const completion = {
      ...{ path: completed, mode: 0o755 },
      content: readFileSync(join(root, 'packages/cli/bin', completed)),
    }
    for (const platform of chosen) {
      const name = platformName(platform)
      mkdirSync(join(out, name))
      await buildExecutable(platform, bundle, join(out, name, 'strata'))
      const file = `strata-${version}-${name}.tar.gz`
      const program = { path: 'strata', content: readFileSync(join(out, name, 'strata')), mode: 0o755 }
      publish(file, writeArchive([program, completion, ...licences]))
      const digest = sha256(published.get(file) ?? Buffer.alloc(0))
      archives.push({ platform, uri: `${values['base-url']}/${file}`, sha256: digest })
    }
    publish('strata.yaml', renderKrewManifest(version, archives))

    publish(`strata-${version}-npm.tgz`, await packForNpm(version, work, licences))
    for (const [file, archive] of packLibraries(version, work)) publish(file, archive)
    publish(`strata-${version}-chart.tgz`, writeArchive(filesBelow(join(root, 'deploy/chart'), 'strata')))

    const image = values.image ? await buildImage(version, chosen, out, licences) : undefined
    if (image !== undefined) publish(`strata-${version}-image.tar`, image.layout)
    const nodes = chosen.map(({ nodePackage }) => componentAt(`node_modules/${nodePackage}`, lock))
    publish('sbom.cdx.json', renderSbom(version, [...components, ...nodes], image?.packages))
    publish('SHA256SUMS', renderChecksums(published))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

async function buildImage(
  version: string,
  chosen: readonly Platform[],
  out: string,
  licences: readonly TarEntry[],
): Promise<{ layout: Buffer; packages: readonly DebianPackage[] }> {
  const images: PlatformImage[] = []
  const packages: DebianPackage[] = []
  for (const platform of chosen.filter(({ os }) => os === 'linux')) {
    const base = await makeBaseLayer(platform)
    packages.push(...base.packages)
    const content = readFileSync(join(out, platformName(platform), 'strata'))
    const own = [
      { path: programPath, content, mode: 0o755 },
      ...licences.map((each) => ({ ...each, path: `usr/share/doc/strata/${each.path}` })),
    ]
    images.push({ platform, layers: [base.entries, own] })
  }
  return { layout: writeTar(layOutImage(version, images)), packages }
}
