import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createProgram } from '@strata/cli'
import type { StrataServer } from '@strata/server'
import { createMemoryStore, MemoryData } from '@strata/server/store'
import { type Clock, OutboundError, type Remote, readAll, silentLog, type Transport } from '@strata/world'
import { createNodeWorld, nodeClock } from '@strata/world/node'
import { adminToken, beacon, beaconPath, call, createFleetServer } from '../support/fleet.ts'
import { until } from '../support/until.ts'

const group = 'lighthouse.example.dev'
const name = `beacons.${group}`
const count = 5
const services = '/apis/apiregistration.k8s.io/v1/apiservices'
/** As a client sees any other Kubernetes API server. */
const asAnotherMake = ['strata.dev', 'internal.apiserver.k8s.io', 'migration.k8s.io']
  .map((each) => `${each}/v1alpha1=false`)
  .join(',')
const never = new AbortController().signal
const world = () => createNodeWorld({ log: silentLog })

/** A minute of patience is two seconds, so that discovery on a busy machine fits into its limit of 5 s. */
const hasty: Clock = {
  wallMs: nodeClock.wallMs,
  monotonicMs: () => nodeClock.monotonicMs() * 30,
  after: (delayMs, callback) => nodeClock.after(delayMs / 30, callback),
  soon: nodeClock.soon,
}

describe('commands on resources of aggregated servers, through the aggregator', () => {
  const data = new MemoryData()
  const servers = new Map<string, StrataServer>()
  const listeners: Server[] = []
  const fronts: StrataServer[] = []
  const kubeconfigs = new Map<string, string>()
  let home = ''
  let isCut = false

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'strata-aggregated-'))
    for (const [front, runtimeConfig] of [
      ['strata', undefined],
      ['another', asAnotherMake],
    ] as const) {
      const server = createFleetServer({
        ...{ world: world(), store: createMemoryStore(new MemoryData()), instance: front, runtimeConfig },
        ...{ apiServices: true, hasLighthouse: false },
        aggregation: { remote, resolveService: () => 'https://backend:1' },
      })
      fronts.push(server)
      await server.start(never)
      if (servers.size === 0) await addServer('a', 'x+1')
      for (const version of ['v1', 'v2']) {
        const spec = { group, version, groupPriorityMinimum: 100, versionPriority: 10 }
        const { status } = await call(server.handle, 'POST', services, {
          ...{ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' },
          ...{ metadata: { name: `${version}.${group}` } },
          spec: { ...spec, service: { namespace: 'lights', name: 'api' } },
        })
        assert.equal(status, 201)
      }
      await until('both versions are passed on', async () => {
        const { body } = await call(server.handle, 'GET', services)
        const passed = body.items.filter(
          (each: { spec: object; status?: { conditions?: { reason: string }[] } }) =>
            each.status?.conditions?.some(({ reason }) => reason === 'Passed'),
        )
        return passed.length === 2 || undefined
      })
      kubeconfigs.set(front, await listen(front, server))
    }
    const [front] = fronts
    assert.ok(front)
    for (let index = 0; index < count; index++) {
      const { status } = await call(front.handle, 'POST', beaconPath('v1'), beacon('v1', `b-${index}`, 5))
      assert.equal(status, 201)
    }
  })
  after(async () => {
    for (const listener of listeners) {
      listener.close()
      listener.closeAllConnections()
    }
    await Promise.all([...fronts, ...servers.values()].map((each) => each.stop(1_000)))
    await rm(home, { recursive: true, force: true })
  })

  const remote: Remote = async ({ method, url, headers, body, signal }) => {
    const server = [...servers.values()].at(-1)
    if (isCut || !server) throw new OutboundError('connect: connection refused')
    return server.handle({
      ...{ method, target: url.replace(/^https:\/\/[^/]+/, ''), signal },
      headers: { ...headers, authorization: `Bearer ${adminToken}` },
      ...(body === undefined ? {} : { body: await readAll(body) }),
    })
  }

  const aggregator: Transport = async (request) => {
    const [front] = fronts
    assert.ok(front)
    return front.handle({
      ...request,
      headers: { ...request.headers, authorization: `Bearer ${adminToken}` },
    })
  }

  async function addServer(instance: string, release: string): Promise<void> {
    const store = createMemoryStore(data)
    const aggregated = { aggregator, mirrors: false }
    const server = createFleetServer({ world: world(), store, instance, release, aggregated })
    await server.start(never)
    servers.set(instance, server)
  }

  async function listen(front: string, { handle }: StrataServer): Promise<string> {
    const listener = createServer((request, response) => void answer(handle, request, response))
    listeners.push(listener)
    await once(listener.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
    const kubeconfig = join(home, front)
    const config = {
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: url } }],
      users: [{ name: 'u', user: { token: adminToken } }],
    }
    await writeFile(kubeconfig, JSON.stringify(config))
    return kubeconfig
  }

  async function through(front: string, ...args: readonly string[]): Promise<{ code: number; said: string }> {
    const said: string[] = []
    const [command = '', ...rest] = args
    const program = createProgram({
      ...{ world: { ...world(), clock: hasty }, signal: never, environment: { HOME: home } },
      ...{ isTerminal: false, screen: undefined, execPath: '', entry: '' },
      print: (text) => said.push(text),
      warn: (text) => said.push(text),
    })
    try {
      const code = await program.run([command, '--kubeconfig', kubeconfigs.get(front) ?? '', ...rest])
      return { code, said: said.join('\n') }
    } catch (error) {
      const { exitCode = 1, message } = error as { exitCode?: number; message: string }
      return { code: exitCode, said: message }
    }
  }
  const strata = (...args: readonly string[]) => through('strata', ...args)

  test('one release: agreed, and everything is current', async () => {
    const { code, said } = await strata('status', name)
    assert.equal(code, 0, said)
    assert.match(said, /^aggregated: lighthouse\.example\.dev \(APIService v1\.\S+, v2\.\S+\)$/m)
    assert.match(said, /^beacons\.lighthouse\.example\.dev +v1 +\d+s +\d+ +yes +v1/m)
    const verified = await strata('verify', name)
    assert.equal(verified.code, 0, verified.said)
    assert.match(verified.said, /agreement record of the aggregated servers, epoch \d+, fenced/)
  })

  test('in the middle of an upgrade: no agreement, and nothing is migrated', async () => {
    await addServer('b', 'x+2')
    const { code, said } = await strata('status', name, '-o', 'json')
    assert.equal(code, 1, said)
    const [group] = JSON.parse(said).aggregated
    assert.deepEqual([group.agreed, group.resources[0].agreed, group.servers.length], [false, false, 2])
    assert.equal((await strata('status')).code, 0, 'this fleet agrees')
    const verified = await strata('verify', name)
    assert.equal(verified.code, 4, verified.said)
    const migrated = await strata('migrate', name, '--agreement-timeout', '1s')
    assert.equal(migrated.code, 4, migrated.said)
    await servers.get('a')?.stop(1_000)
    servers.delete('a')
    // The server that is left learns that the other one has gone.
    await until('the servers agree', async () => (await strata('status', name)).code === 0)
  })

  test('after it: counted where they are stored, migrated, and proven', async () => {
    const counted = await strata('census', name, '-o', 'json')
    const [before] = JSON.parse(counted.said).resources
    assert.deepEqual([counted.code, before.verdict, before.census.stale], [1, 'stale', count], counted.said)
    const migrated = await strata('migrate', name)
    assert.equal(migrated.code, 0, migrated.said)
    assert.match(migrated.said, /proven/)
    const verified = await strata('verify', name, '-o', 'json')
    const [evidence] = JSON.parse(verified.said).resources
    assert.deepEqual([verified.code, evidence.verdict, evidence.census.total], [0, 'proven', count])
    const [front] = fronts
    const migrations = '/apis/migration.k8s.io/v1alpha1/storageversionmigrations'
    const { body } = await call(front?.handle ?? assert.fail(), 'GET', migrations)
    assert.equal(body.items.length, 1, 'the migration is recorded in the aggregator')
  })

  test('through a server of another make: the same record, the same count', async () => {
    const { code, said } = await through('another', 'status', '--all')
    assert.equal(code, 0, said)
    assert.match(said, /^beacons\.lighthouse\.example\.dev +v2 +\d+s +\d+ +yes +v2/m)
    const verified = await through('another', 'verify', name)
    assert.equal(verified.code, 0, verified.said)
    const migrated = await through('another', 'migrate', name)
    assert.equal(migrated.code, 0, migrated.said)
    assert.deepEqual(await readdir(join(home, '.local')).catch(() => []), [], 'nothing had to be migrated')
  })

  test('asked directly, its kinds are those of its own fleet', async () => {
    const [server] = servers.values()
    kubeconfigs.set('directly', await listen('directly', server ?? assert.fail()))
    const { code, said } = await through('directly', 'status', '--all')
    assert.equal(code, 0, said)
    assert.match(said, /^beacons\.lighthouse\.example\.dev +v2 /m)
    assert.doesNotMatch(said, /aggregated/)
    const checked = await through('directly', 'check', '--to', 'x+3', '--decodable', 'namespaces=v1')
    assert.doesNotMatch(checked.said, /aggregated/)
    assert.match(checked.said, /^beacons\.lighthouse\.example\.dev /m)
  })

  test('prune and check say what they are not about', async () => {
    const pruned = await strata('prune', name)
    assert.equal(pruned.code, 5, pruned.said)
    assert.match(pruned.said, /aggregated servers store beacons\.lighthouse\.example\.dev, and no CRD/)
    const checked = await strata('check', '--to', 'x+3', '--decodable', 'namespaces=v1')
    assert.match(
      checked.said,
      /^Not checked, because aggregated servers store them: beacons\.lighthouse\.\S+$/m,
    )
    const one = await strata('check', '--to', 'x+3', '--decodable', 'namespaces=v1', name)
    assert.equal(one.code, 5, one.said)
    assert.match(one.said, /^not checked: beacons\.lighthouse\.example\.dev\. Aggregated servers store that/)
  })

  test('servers that are away: not seen, and never agreed', async () => {
    isCut = true
    // On a busy machine, discovery may take longer than the hurried clock allows. That is not known either.
    await until('status says that it is not seen', async () => {
      const { code, said } = await strata('status', name)
      assert.equal(code, 2, said)
      assert.doesNotMatch(said, /lists what there is/)
      return /^Not seen, so nothing is known to be agreed: /m.test(said) || undefined
    })
    await until('status shows the group without agreement', async () => {
      const all = await strata('status', '-o', 'json')
      const status = JSON.parse(all.said)
      assert.deepEqual([all.code, status.agreed], [0, true])
      return status.aggregated?.[0]?.agreed === false || undefined
    })
    for (const command of ['verify', 'census', 'migrate']) {
      const ran = await strata(command, name)
      assert.equal(ran.code, 5, `${command}: ${ran.said}`)
    }
  })
})

async function answer(
  handle: StrataServer['handle'],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const body = await readAll(request)
  const answered = await handle({
    ...{ method: request.method ?? '', target: request.url ?? '', signal: gone.signal },
    headers: request.headers as Record<string, string>,
    ...(body.length === 0 ? {} : { body }),
  })
  response.writeHead(answered.status, answered.headers as Record<string, string>)
  response.end(await readAll(answered.body))
}
