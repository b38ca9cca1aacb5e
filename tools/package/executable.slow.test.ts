import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { bundleForExecutable } from '../bundle-command.ts'
import { root } from '../repository.ts'
import { buildExecutable } from './executable.ts'
import { hostPlatform } from './platforms.ts'

const home = mkdtempSync(join(tmpdir(), 'strata-executable-'))
const program = join(home, 'strata')
/** Nothing of the machine's, and no Node on the PATH. */
const options = { cwd: home, env: { PATH: join(home, 'empty'), HOME: home } }
const run = async (file: string, ...args: readonly string[]): Promise<string> =>
  (await promisify(execFile)(file, args, options)).stdout

describe('the executable', () => {
  before(async () => {
    const platform = hostPlatform()
    assert.ok(platform, 'this machine has no packaged Node')
    const bundle = join(home, 'strata.mjs')
    await bundleForExecutable(bundle)
    await buildExecutable(platform, bundle, program)
    rmSync(bundle)
  })
  after(() => rmSync(home, { recursive: true, force: true }))

  test('says the version of the release, and explains a command', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    assert.equal(await run(program, '--version'), `${version}\n`)
    assert.match(await run(program, 'migrate', '--help'), /^Usage: strata migrate \[options\]/)
  })

  test('how long a start takes is printed', async (t) => {
    const tookMs: number[] = []
    for (let start = 0; start < 5; start++) {
      const startedMs = performance.now()
      assert.match(await run(program, '--version'), /^\d+\.\d+\.\d+\n$/)
      tookMs.push(performance.now() - startedMs)
    }
    // No limit: a busy machine breaks every limit that says something on a quiet one.
    t.diagnostic(`strata --version: ${Math.round(Math.min(...tookMs))} ms, the best of ${tookMs.length}`)
  })

  test('called as a plugin of kubectl, it shows what its user types', async () => {
    const plugin = join(home, 'kubectl-strata')
    symlinkSync(program, plugin)
    const help = await run(plugin, 'migrate', '--help')
    assert.match(help, /^Usage: kubectl strata migrate \[options\]/)
    assert.match(help, /^ {2}\$ kubectl strata migrate /m)
    assert.doesNotMatch(help, /^ {2}\$ strata /m)
  })

  test('a fleet starts with its threads and processes, serves kinds from a file, and stops', async () => {
    const kinds = join(home, 'kinds.ts')
    writeFileSync(kinds, 'await Promise.resolve()\nexport const resources: readonly object[] = []\n')
    const data = join(home, 'data')
    const args = ['up', '--servers', '1', '--data-dir', data, '--resources', kinds]
    const fleet = spawn(program, args, options)
    let said = ''
    const isUp = Promise.withResolvers<void>()
    for (const stream of [fleet.stdout, fleet.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text
        if (said.includes('Ctrl-C stops everything')) isUp.resolve()
      })
    }
    const closed = once(fleet, 'close')
    try {
      await Promise.race([isUp.promise, closed.then(() => assert.fail(said))])
      assert.match(said, /^ {2}strata status --kubeconfig '.*admin\.kubeconfig'$/m)
      const kubeconfig = join(data, 'admin.kubeconfig')
      const status = await run(program, 'status', '--kubeconfig', kubeconfig, '-o', 'json')
      assert.equal(JSON.parse(status).servers.length, 1)
    } finally {
      fleet.kill('SIGTERM')
    }
    const [code] = await closed
    assert.equal(code, 0, said)
  })
})
