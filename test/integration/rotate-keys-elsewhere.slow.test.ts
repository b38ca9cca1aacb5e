import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createProgram } from '@strata/cli'
import { type Clock, silentLog } from '@strata/world'
import { createNodeTransport, createNodeWorld, type NodeTransport, nodeClock } from '@strata/world/node'
import { ask } from '../support/ask.ts'
import { configurationFile } from '../support/encrypted-fleet.ts'
import { type EtcdCluster, startEtcd } from '../support/etcd.ts'
import { LoneServer } from '../support/lone-server.ts'
import { until } from '../support/until.ts'

const secrets = '/api/v1/namespaces/default/secrets'
/** More than a minute has to pass before a key is called droppable. */
const hasty: Clock = {
  wallMs: nodeClock.wallMs,
  monotonicMs: () => nodeClock.monotonicMs() * 60,
  after: (delayMs, callback) => nodeClock.after(delayMs / 60, callback),
  soon: nodeClock.soon,
}

interface Rotation {
  readonly code: number
  readonly step: string
  readonly because?: string
  readonly snippet?: readonly string[]
  readonly droppable: readonly string[]
  readonly unseen: readonly string[]
}

/** A server that has none of Strata's groups: as a client sees any other Kubernetes cluster. */
describe('rotate-keys on another cluster', () => {
  let home = ''
  let etcd: EtcdCluster
  let server: LoneServer
  let transport: NodeTransport
  let kubeconfig = ''
  const keysFile = (): string => join(home, 'keys.json')
  const write = (...keys: string[]) =>
    writeFile(keysFile(), JSON.stringify(configurationFile(keys, ['secrets'])), { mode: 0o600 })

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'strata-rotate-'))
    await write('aesgcm:one', 'identity')
    etcd = await startEtcd()
    const hidden = ['strata.dev', 'internal.apiserver.k8s.io', 'migration.k8s.io']
    server = await LoneServer.start('rotate', [
      ...['--runtime-config', hidden.map((group) => `${group}/v1alpha1=false`).join(',')],
      ...['--store', 'etcd', '--etcd-servers', etcd.endpoints.join(',')],
      ...['--encryption-provider-config', keysFile(), '--encryption-provider-config-automatic-reload'],
    ])
    const url = `https://127.0.0.1:${server.port}`
    transport = createNodeTransport({ server: url, ca: server.ca, token: server.token })
    kubeconfig = join(home, 'kubeconfig')
    const ca = Buffer.from(server.ca).toString('base64')
    const config = {
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority-data': ca } }],
      users: [{ name: 'u', user: { token: server.token } }],
    }
    await writeFile(kubeconfig, JSON.stringify(config))
    for (const name of ['a', 'b', 'c'])
      assert.equal((await ask(transport, 'POST', secrets, { metadata: { name } })).status, 201)
  })
  after(async () => {
    transport?.close()
    await server?.stop()
    await etcd?.stop()
    await rm(home, { recursive: true, force: true })
  })

  async function rotate(...flags: readonly string[]): Promise<Rotation> {
    const said: string[] = []
    const world = { ...createNodeWorld({ log: silentLog }), clock: hasty }
    const args = [
      'rotate-keys',
      '--kubeconfig',
      kubeconfig,
      '--encryption-provider-config',
      keysFile(),
      ...flags,
    ]
    const code = await createProgram({
      ...{ world, signal: new AbortController().signal, environment: { HOME: home }, isTerminal: false },
      ...{ screen: undefined, execPath: '', entry: '', print: (text) => said.push(text) },
    }).run([...args, '-o', 'json'])
    return { ...JSON.parse(said.join('')), code }
  }
  const withStore = (...flags: readonly string[]) =>
    rotate('--etcd-servers', etcd.endpoints.join(','), ...flags)

  async function untilStep(step: string): Promise<Rotation> {
    return until(`the next step is ${step}`, async () => {
      const seen = await withStore('--to', 'aesgcm:two', '--dry-run')
      return seen.step === step ? seen : undefined
    })
  }

  test('each step is told by what is loaded and stored; a key is droppable only when all of it was seen', async () => {
    const adding = await withStore('--to', 'aesgcm:two')
    assert.deepEqual([adding.code, adding.step, adding.unseen], [1, 'add', []])
    assert.ok(adding.snippet?.includes('            - name: two'), String(adding.snippet))

    await write('aesgcm:one', 'aesgcm:two', 'identity')
    const promoting = await withStore('--to', 'aesgcm:two', '--agreement-timeout', '20m')
    assert.equal(promoting.step, 'promote', 'it waits until the file is loaded')
    assert.deepEqual([promoting.code, promoting.unseen], [1, []])

    await write('aesgcm:two', 'aesgcm:one', 'identity')
    const left = await untilStep('rewrite')
    assert.deepEqual([left.code, left.because], [1, '3 objects of secrets under aesgcm:one'])

    const blind = await rotate('--yes')
    assert.deepEqual([blind.code, blind.step, blind.droppable], [6, 'blocked', []], JSON.stringify(blind))
    assert.match(
      blind.unseen.join(),
      /^what is stored: no API shows under which key an object is \(--etcd-servers\)$/,
    )

    const seen = await withStore()
    assert.deepEqual(
      [seen.code, seen.step, seen.droppable],
      [3, 'drop', ['aesgcm:one']],
      JSON.stringify(seen),
    )
    assert.equal((await withStore('--accept', 'observed-clean')).code, 0)
  })
})
