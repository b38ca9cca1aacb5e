// Makes what is published, into dist/ or the directory named by --out:
//   dist/packages/<name>/   each package as JavaScript and declarations, ready for npm publish
//   dist/strata.mjs         the whole command in one file, for Node 26 or newer
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { REQUIRED_MAJOR } from '../packages/cli/bin/pinned-node.mjs'
import { bundleCommand } from './bundle-command.ts'
import { builtDashboard } from './dashboard/built-dashboard.ts'
import { embeddedModule } from './dashboard/embed.ts'
import { publishedManifest } from './published-manifest.ts'
import { publishedReadme } from './published-readme.ts'
import { root } from './repository.ts'

const { values } = parseArgs({ options: { out: { type: 'string', default: join(root, 'dist') } } })
const dist = resolve(values.out)
const packagesHome = join(root, 'packages')
const say = (path: string): void => void process.stdout.write(`${relative(root, path)}\n`)

rmSync(dist, { recursive: true, force: true })
mkdirSync(dist, { recursive: true })
const names = readdirSync(packagesHome).filter((name) =>
  existsSync(join(packagesHome, name, 'src', 'index.ts')),
)
emitPackages()
for (const name of names) finishPackage(name)
const { assets } = await builtDashboard()
writeFileSync(join(dist, 'packages/cli/dist/dashboard/assets/read-packed.js'), embeddedModule(assets))
const command = join(dist, 'strata.mjs')
await bundleCommand(command, REQUIRED_MAJOR)
chmodSync(command, 0o755)
say(command)

/** One program for all packages, because they import each other's sources. */
function emitPackages(): void {
  const config = join(dist, 'tsconfig.json')
  const settings = {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      rootDir: packagesHome,
      outDir: join(dist, 'packages'),
      // Found from here, where there is no node_modules of its own.
      typeRoots: [join(root, 'node_modules', '@types')],
    },
    include: [join(packagesHome, '*', 'src', '**', '*.ts')],
    exclude: [
      join(packagesHome, '**', '*.test.ts'),
      join(packagesHome, '**', '*-for-test.ts'),
      // It is bundled, for a browser, and not published by itself.
      join(packagesHome, 'dashboard'),
    ],
  }
  writeFileSync(config, JSON.stringify(settings, undefined, 2))
  const { status } = spawnSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', config], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (status !== 0) process.exit(1)
  rmSync(config)
}

function finishPackage(name: string): void {
  const source = join(packagesHome, name)
  const target = join(dist, 'packages', name)
  renameSync(join(target, 'src'), join(target, 'dist'))
  const manifest = publishedManifest(JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')))
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
  cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'))
  writeFileSync(
    join(target, 'README.md'),
    publishedReadme(name, readFileSync(join(source, 'README.md'), 'utf8')),
  )
  if (existsSync(join(source, 'bin'))) cpSync(join(source, 'bin'), join(target, 'bin'), { recursive: true })
  say(target)
}
