import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { root } from './repository.ts'

/** Runs a program; should it fail, says what it said, which execFile's own error leaves out. */
async function run(program: string, args: readonly string[]): Promise<string> {
  try {
    return (await promisify(execFile)(program, args, { cwd: root })).stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    assert.fail(`${program} ${args.join(' ')}\n${stdout}${stderr}`)
  }
}

describe('build', () => {
  // Below the root, so that the packages' own dependencies are found.
  mkdirSync(join(root, '.strata'), { recursive: true })
  const out = mkdtempSync(join(root, '.strata', 'build-test-'))
  const dist = join(out, 'dist')
  const built = (): readonly string[] => readdirSync(join(dist, 'packages'))
  const entriesOf = (name: string): readonly string[] => {
    const { exports } = JSON.parse(readFileSync(join(dist, 'packages', name, 'package.json'), 'utf8'))
    return Object.keys(exports).map((key) => `@strata/${join(name, key)}`)
  }

  before(async () => {
    await run(process.execPath, [join(root, 'tools', 'build.ts'), '--out', dist])
    mkdirSync(join(out, 'node_modules', '@strata'), { recursive: true })
    for (const name of built())
      symlinkSync(join(dist, 'packages', name), join(out, 'node_modules', '@strata', name))
  })
  after(() => rmSync(out, { recursive: true, force: true }))

  test('every entry point of every package can be imported, except those that are programs', async () => {
    const entries = built()
      .flatMap(entriesOf)
      .filter((entry) => !entry.endsWith('/main'))
    const program = entries.map((entry) => `await import('${entry}')\n`).join('')
    assert.ok(entries.length > 0)
    writeFileSync(join(out, 'import-all.mjs'), program)
    await run(process.execPath, [join(out, 'import-all.mjs')])
  })

  test('the declarations are whole', async () => {
    const uses = built()
      .flatMap(entriesOf)
      .map((entry, index) => `export * as e${index} from '${entry}'\n`)
    writeFileSync(join(out, 'use-all.ts'), uses.join(''))
    const compilerOptions = {
      module: 'nodenext',
      target: 'esnext',
      lib: ['esnext', 'dom'],
      noEmit: true,
      strict: true,
      types: ['node'],
    }
    writeFileSync(join(out, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use-all.ts'] }))
    await run(join(root, 'node_modules', '.bin', 'tsc'), ['-p', out])
  })

  test('the one file runs by itself: a server starts, over a store with its thread, and stops', async () => {
    const alone = mkdtempSync(join(tmpdir(), 'strata-alone-'))
    try {
      copyFileSync(join(dist, 'strata.mjs'), join(alone, 'strata.mjs'))
      const args = ['serve', '--secure-port', '0', '--data-dir', join(alone, 'data')]
      const server = spawn(process.execPath, [join(alone, 'strata.mjs'), ...args], { cwd: alone })
      let said = ''
      server.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text
        if (text.includes('serving')) server.kill('SIGTERM')
      })
      const [code] = await once(server, 'close')
      assert.equal(code, 0, said)
      assert.match(said, /took back its entries; stopped/)
    } finally {
      rmSync(alone, { recursive: true, force: true })
    }
  })

  test('an older Node can read the one file as far as the line that says so', async () => {
    const text = readFileSync(join(dist, 'strata.mjs'), 'utf8')
    const imports = [...text.matchAll(/^import .* from ["'](.*)["'];?$/gm)].map(([, name]) => name)
    assert.deepEqual(imports, ['node:module'], 'anything more might be missing there')
    // The version that such a Node would have; everything before the check must do without a newer one.
    const pretend = join(out, 'pretend.cjs')
    writeFileSync(
      pretend,
      `Object.defineProperty(process.versions, 'node', { value: '20.1.0' })
       Object.defineProperty(process, 'version', { value: 'v20.1.0' })`,
    )
    const old = spawn(process.execPath, ['--require', pretend, join(dist, 'strata.mjs'), '--help'])
    let said = ''
    old.stderr.setEncoding('utf8').on('data', (part: string) => {
      said += part
    })
    assert.deepEqual(await once(old, 'close'), [1, null])
    assert.equal(said, 'strata needs Node 26 or newer; this is v20.1.0\n')
  })
})
