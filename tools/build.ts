// Makes what is published, into dist/ or the directory named by --out:
//   dist/packages/<name>/   each package as JavaScript and declarations, ready for npm publish
//   dist/strata.mjs         the whole command in one file, with the code of its threads beside it
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
import { build } from 'esbuild'
import { publishedManifest } from './published-manifest.ts'
import { root } from './repository.ts'

const { values } = parseArgs({ options: { out: { type: 'string', default: join(root, 'dist') } } })
const dist = resolve(values.out)
const packagesHome = join(root, 'packages')
const NODE_TARGET = 'node26'

/** The command, and the files that run in a thread of their own: these it looks for beside itself, by name. */
const BUNDLES = {
  'strata.mjs': 'packages/cli/src/main.ts',
  'sqlite-writer.js': 'packages/server/src/store/sqlite/sqlite-writer.ts',
}

// CommonJS among the dependencies asks for built-in modules with require, which ESM does not have.
const REQUIRE =
  "import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)\n"

const say = (path: string): void => void process.stdout.write(`${relative(root, path)}\n`)

rmSync(dist, { recursive: true, force: true })
mkdirSync(dist, { recursive: true })
const names = readdirSync(packagesHome).filter((name) =>
  existsSync(join(packagesHome, name, 'src', 'index.ts')),
)
emitPackages()
for (const name of names) finishPackage(name)
// Until there is a command, there is nothing to bundle.
if (existsSync(join(root, BUNDLES['strata.mjs']))) await bundle()

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
    exclude: [join(packagesHome, '**', '*.test.ts'), join(packagesHome, '**', '*-for-test.ts')],
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
  for (const extra of ['README.md', 'bin']) {
    if (existsSync(join(source, extra))) cpSync(join(source, extra), join(target, extra), { recursive: true })
  }
  say(target)
}

async function bundle(): Promise<void> {
  for (const [output, entry] of Object.entries(BUNDLES)) {
    const isProgram = output.endsWith('.mjs')
    const outfile = join(dist, output)
    await build({
      entryPoints: [join(root, entry)],
      outfile,
      absWorkingDir: root,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: NODE_TARGET,
      sourcemap: 'linked',
      logLevel: 'warning',
      banner: { js: `${isProgram ? '#!/usr/bin/env node\n' : ''}${REQUIRE}` },
    })
    if (isProgram) chmodSync(outfile, 0o755)
    say(outfile)
  }
}
