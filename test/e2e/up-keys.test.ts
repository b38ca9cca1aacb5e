import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createNodeTransport } from '@strata/world/node'
import { ask } from '../support/ask.ts'
import { childrenOf, isRunningWith } from '../support/child-processes.ts'
import { configurationFile } from '../support/encrypted-fleet.ts'
import { StrataProcess } from '../support/serve-process.ts'
import { until } from '../support/until.ts'

const plugin = join(import.meta.dirname, '../support/kms-plugin.ts')
const patience = { giveUpMs: 60_000 }

/** A key under which nothing is stored is not missed. */
async function storeSecret(dataDir: string, stdout: string): Promise<void> {
  const [url = ''] = /https:\/\/127\.0\.0\.1:\d+/.exec(stdout) ?? []
  const read = (name: string): Promise<string> => readFile(join(dataDir, 'pki', name), 'utf8')
  const [ca, token] = [await read('ca.crt'), (await read('admin.token')).trim()]
  const transport = createNodeTransport({ server: url, ca, token })
  try {
    const { status } = await ask(transport, 'POST', '/api/v1/namespaces/default/secrets', {
      metadata: { name: 'sealed' },
    })
    assert.equal(status, 201)
  } finally {
    transport.close()
  }
}

describe('up: keys that are not there', () => {
  const processes: StrataProcess[] = []
  const children = new Set<number>()
  let home = ''
  const at = (name: string): string => join(home, name)
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'strata-up-keys-'))
  })
  after(async () => {
    for (const each of processes) {
      if (each.running) for (const pid of childrenOf(each.pid)) children.add(pid)
      await each.kill()
    }
    // They are in process groups of their own.
    for (const pid of children) if (isRunningWith(pid, home)) process.kill(pid, 'SIGKILL')
    await rm(home, { recursive: true, force: true })
  })

  async function start(dataDir: string, configuration: object): Promise<StrataProcess> {
    const file = at(`${dataDir}.json`)
    await writeFile(file, JSON.stringify(configuration))
    const up = new StrataProcess('up', [
      ...['up', '--servers', '1', '--port', '0', '--data-dir', at(dataDir)],
      ...['--encryption-provider-config', file],
    ])
    processes.push(up)
    return up
  }
  const said = (up: StrataProcess, words: string): Promise<unknown> =>
    until(`it says ${words}`, () => up.stdout.includes(words) || !up.running, patience)

  test('a key that no server has stops it at once, and the reason is a sentence', async () => {
    const first = await start('keys', configurationFile(['aesgcm:two'], ['secrets', 'configmaps']))
    await said(first, 'The fleet is up')
    await storeSecret(at('keys'), first.stdout)
    first.signal('SIGINT')
    assert.equal((await first.ended()).code, 0, first.output)

    const second = await start('keys', configurationFile(['aesgcm:one'], ['secrets', 'configmaps']))
    assert.equal((await second.ended()).code, 1, second.output)
    assert.match(
      second.output,
      /^strata: strata-1 does not start: .*secrets: what is stored may be under aesgcm:two:\w+, which this server does not have \(default\/sealed is stored\); add it to --encryption-provider-config, behind the key to write with \(log: .*\)\n$/m,
    )
  })

  test('a KMS that is down is reported while up waits for it, and is enough when it comes', async () => {
    const kms = { apiVersion: 'v2', name: 'vault', endpoint: `unix://${at('kms.sock')}` }
    const providers = [{ kms }, { identity: {} }]
    const up = await start('kms', {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'EncryptionConfiguration',
      resources: [{ resources: ['secrets'], providers }],
    })
    await said(up, 'strata-1 waits: KMS provider vault: ')
    assert.ok(up.running, up.output)
    await writeFile(at('kms.json'), JSON.stringify({ current: 'key-1', known: ['key-1'] }))
    processes.push(new StrataProcess('plugin', [at('kms.sock'), at('kms.json')], plugin))
    await said(up, 'The fleet is up')
    for (const pid of childrenOf(up.pid)) children.add(pid)
    up.signal('SIGINT')
    assert.equal((await up.ended()).code, 0, up.output)
  })
})
