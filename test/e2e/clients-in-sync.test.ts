import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { integer, pick, sleep } from '@strata/world'
import { createNodeTransport, nodeClock } from '@strata/world/node'
import { ask } from '../support/ask.ts'
import { type FollowingClient, idOf, type ShownBeacon } from '../support/client-log.ts'
import { isFullSize } from '../support/full-size.ts'
import { startInformerClient } from '../support/informer-client.ts'
import { ProtocolClient } from '../support/protocol-client.ts'
import type { Access } from '../support/serve-process.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { until } from '../support/until.ts'
import { WriteLoad } from '../support/write-load.ts'
import { changesOf, judgeClient } from './judge-client.ts'
import { judgeLoad } from './judge-load.ts'
import { type LiveFleet, storeKinds, withLiveFleet } from './live-fleet.ts'

const writes = isFullSize ? 50_000 : 400
/** Servers that are ended, kindly or not, and started again. */
const restarts = isFullSize ? 40 : 2
/** For one share of the writes, on a machine that may have much else to do. */
const giveUpMs = isFullSize ? 900_000 : 60_000
const servers = isFullSize ? (['a', 'b', 'c'] as const) : (['a', 'b'] as const)
const namespaces = ['sync-0', 'sync-1', 'sync-2'] as const
const everywhere = '/apis/lighthouse.example.dev/v1/beacons'

for (const store of storeKinds) {
  test(`clients in sync on ${store}: ${writes} writes, connections cut, servers restarted; no event lost, none invented`, async (t) => {
    await withLiveFleet({ store }, (fleet) => follow(fleet, t))
  })
}

async function follow(fleet: LiveFleet, t: TestContext): Promise<void> {
  await Promise.all(servers.map((name) => fleet.start(name, 'x+1')))
  for (const name of namespaces) {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
    assert.equal((await ask(fleet.transport('a'), 'POST', '/api/v1/namespaces', namespace)).status, 201)
  }
  const proxies: TcpProxy[] = []
  const clients: FollowingClient[] = []
  /** Resources to release, however the test ends. */
  const running: { stop(): Promise<unknown> }[] = []
  try {
    const throughProxy = async (): Promise<Access> => {
      const proxy = await startBalancer(fleet)
      proxies.push(proxy)
      return { ...fleet.access('a'), url: `https://127.0.0.1:${proxy.port}` }
    }
    clients.push(...(await startClients(fleet, throughProxy)))
    const writers = await Promise.all(
      servers.map(async () => {
        const { url, ca, token } = await throughProxy()
        return createNodeTransport({ server: url, ca, token })
      }),
    )
    const { random } = fleet.world
    await using load = new WriteLoad({
      ...{ servers: () => writers, apiVersions: () => ['v1', 'v2'], random, namespaces },
      ...{ label: 'sync', writers: 10, namesPerWriter: 9, pauseMs: isFullSize ? 0 : 10 },
    })
    const cuts = cutAtRandom(fleet, proxies)
    running.push(cuts)
    await restartServers(fleet, load)
    const cutCount = await cuts.stop()
    await load.stop()
    for (const writer of writers) writer.close()
    await judge(fleet, t, { clients, load, cutCount })
  } finally {
    await Promise.allSettled([...running, ...clients].map((each) => each.stop()))
    await Promise.all(proxies.map((proxy) => proxy.close()))
  }
}

/** Each connection goes to a server that runs, whichever: what stands before a fleet does no better. */
function startBalancer(fleet: LiveFleet): Promise<TcpProxy> {
  const portOf = (name: (typeof servers)[number]): number => Number(new URL(fleet.access(name).url).port)
  return startTcpProxy(() => {
    const [first, ...rest] = servers.filter((name) => fleet.server(name).running)
    return portOf(pick(fleet.world.random, [first ?? 'a', ...rest]))
  })
}

async function startClients(
  { world: { random } }: LiveFleet,
  throughProxy: () => Promise<Access>,
): Promise<FollowingClient[]> {
  const [one] = namespaces
  const ours = [
    { name: 'list and watch', path: everywhere, limit: 10 },
    {
      name: 'list and watch of one namespace',
      namespace: one,
      path: `/apis/lighthouse.example.dev/v2/namespaces/${one}/beacons`,
    },
    { name: 'watch list', path: everywhere, watchList: true },
  ]
  const started: FollowingClient[] = []
  for (const options of ours) {
    const { url, ca, token } = await throughProxy()
    started.push(
      new ProtocolClient({ ...options, random, transport: createNodeTransport({ server: url, ca, token }) }),
    )
  }
  return [...started, startInformerClient('informer of client-node', await throughProxy())]
}

function cutAtRandom({ world: { random } }: LiveFleet, proxies: readonly TcpProxy[]) {
  const stopping = new AbortController()
  let count = 0
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      // In turn: every client is to be interrupted, however short the run is.
      proxies[count % proxies.length]?.cut()
      count++
      await sleep(nodeClock, 20 + integer(random, 200), stopping.signal).catch(() => {})
    }
  }
  const running = run()
  return {
    stop: async (): Promise<number> => {
      stopping.abort()
      await running
      return count
    },
  }
}

/** Every other one is killed. The others run meanwhile, and some writes pass between two blows. */
async function restartServers(fleet: LiveFleet, load: WriteLoad): Promise<void> {
  const share = Math.floor(writes / (restarts + 1))
  for (let round = 0; round < restarts; round++) {
    await load.untilMore(share, { giveUpMs })
    const name = servers[integer(fleet.world.random, servers.length)] ?? 'a'
    if (round % 2 === 0) await fleet.server(name).terminate()
    else await fleet.server(name).kill()
    await fleet.start(name, 'x+1')
  }
  await load.untilMore(Math.max(1, writes - load.acknowledged), { giveUpMs })
}

async function judge(
  fleet: LiveFleet,
  t: TestContext,
  { clients, load, cutCount }: { clients: readonly FollowingClient[]; load: WriteLoad; cutCount: number },
): Promise<void> {
  for (const client of clients) {
    const listed = await ask(fleet.transport('b'), 'GET', client.path)
    assert.equal(listed.status, 200)
    const wanted = inOrder(listed.body.items)
    const isThere = (): boolean => isDeepStrictEqual(inOrder(client.copy()), wanted)
    await until(`${client.name} has what the fleet has`, isThere).catch(() => {
      assert.deepEqual(inOrder(client.copy()), wanted, client.name)
    })
  }
  for (const client of clients) await client.stop()
  const history = await fleet.history()
  t.diagnostic(JSON.stringify({ acknowledged: load.acknowledged, cutCount, load: load.counts }))
  assert.deepEqual(judgeLoad(load, history), [])
  const sent = new Set(load.sent)
  assert.deepEqual(
    history.puts.filter(({ colour = '' }) => !sent.has(colour)),
    [],
    'no client wrote these',
  )
  assert.ok(load.acknowledged >= writes)
  for (const client of clients) {
    const { name, log, counts } = client
    t.diagnostic(`${name}: ${JSON.stringify({ ...counts, seen: log.length })}`)
    assert.deepEqual(judgeClient(log, changesOf(history, client.namespace)), [], name)
    assert.ok(counts.failures > 0, `${name} was never interrupted`)
  }
}

/** Whole objects. Items of a list do not say their kind, objects of events do. */
const inOrder = (beacons: readonly ShownBeacon[]): unknown =>
  beacons
    .map((beacon) => ({ ...beacon, apiVersion: '', kind: '' }))
    .sort((one, other) => (idOf(one) < idOf(other) ? -1 : 1))
