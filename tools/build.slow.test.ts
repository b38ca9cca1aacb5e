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
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json, text as readText } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { examplesIn } from './published-readme.ts'
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

/** The answer's status, and how much of what was sent is in it. */
async function createByLongYaml(url: string, pki: string): Promise<[status: number, length: number]> {
  const lines = Array.from({ length: 4_000 }, () => 'some text').join('\n    ')
  const sent = request(`${url}/api/v1/namespaces/default/configmaps`, {
    method: 'POST',
    ca: readFileSync(join(pki, 'ca.crt')),
    headers: {
      'content-type': 'application/yaml',
      authorization: `Bearer ${readFileSync(join(pki, 'admin.token'), 'utf8').trim()}`,
    },
  }).end(`apiVersion: v1\nkind: ConfigMap\nmetadata: {name: long}\ndata:\n  text: |\n    ${lines}\n`)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const { data } = (await json(answer)) as { data?: { text: string } }
  return [answer.statusCode ?? 0, data?.text.length ?? 0]
}

/** The page of the dashboard, and how the file that it names is answered: both were built into the program. */
async function readDashboard(url: string, pki: string): Promise<[page: string, script: number | undefined]> {
  const get = async (path: string): Promise<IncomingMessage> => {
    const sent = request(`${url}${path}`, { ca: readFileSync(join(pki, 'ca.crt')) }).end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    return answer
  }
  const page = await readText(await get('/dashboard/agreement'))
  const script = await get(/ src="([^"]+)"/.exec(page)?.[1] ?? '/dashboard/assets/none')
  script.resume()
  return [page, script.statusCode]
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

  test('the declarations are whole, and the examples in the READMEs fit them', async () => {
    const uses = built()
      .flatMap(entriesOf)
      .map((entry, index) => `export * as e${index} from '${entry}'\n`)
    writeFileSync(join(out, 'use-all.ts'), uses.join(''))
    const examples = built().flatMap((name) => {
      const texts = examplesIn(readFileSync(join(dist, 'packages', name, 'README.md'), 'utf8'))
      return texts.map((text, index) => ({ file: `${name}-${index}.ts`, text }))
    })
    for (const { file, text } of examples) writeFileSync(join(out, file), text)
    const compilerOptions = {
      module: 'nodenext',
      target: 'esnext',
      lib: ['esnext', 'dom'],
      noEmit: true,
      strict: true,
      types: ['node'],
    }
    writeFileSync(
      join(out, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['use-all.ts', ...examples.map(({ file }) => file)] }),
    )
    await run(join(root, 'node_modules', '.bin', 'tsc'), ['-p', out])
  })

  test('the one file runs by itself: a server starts, over a store with its thread, reads long YAML with another, serves the dashboard, and stops', async () => {
    const alone = mkdtempSync(join(tmpdir(), 'strata-alone-'))
    try {
      copyFileSync(join(dist, 'strata.mjs'), join(alone, 'strata.mjs'))
      const args = ['serve', '--secure-port', '0', '--data-dir', join(alone, 'data')]
      const server = spawn(process.execPath, [join(alone, 'strata.mjs'), ...args], { cwd: alone })
      let said = ''
      const serving = Promise.withResolvers<string>()
      server.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text
        const [, url] = / serving url=(\S+)/.exec(said) ?? []
        if (url !== undefined) serving.resolve(url)
      })
      const closed = once(server, 'close')
      try {
        const url = await Promise.race([serving.promise, closed.then(() => assert.fail(said))])
        assert.deepEqual(await createByLongYaml(url, join(alone, 'data', 'pki')), [201, 40_000])
        const [page, script] = await readDashboard(url, join(alone, 'data', 'pki'))
        assert.match(page, /<title>Strata/)
        assert.equal(script, 200)
      } finally {
        server.kill('SIGTERM')
      }
      const [code] = await closed
      assert.equal(code, 0, said)
      assert.match(said, /stopped; storage version entries removed/)
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
    assert.match(
      said,
      /^strata needs Node 26 or newer; this is v20\.1\.0: install Node 26, or the strata executable/,
    )
  })
})
