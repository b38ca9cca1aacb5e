import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathsBelow, type ServeOptions } from '@strata/server/main'
import { ask } from '../support/ask.ts'
import { type Answer, agreementPath, beaconPath, storageVersionPath } from '../support/fleet.ts'
import { isFullSize } from '../support/full-size.ts'
import type { History, StoredBeacon } from '../support/raw-history.ts'
import { lighthouseModule, type StartServe, StrataProcess, strataServe } from '../support/serve-process.ts'
import { until } from '../support/until.ts'
import { WriteLoad } from '../support/write-load.ts'
import { freezeBetweenWrites } from './freeze.ts'
import { judgeLoad } from './judge-load.ts'
import {
  type LiveFleet,
  type SeenAudit,
  type SeenStatus,
  type StoreKind,
  storeKinds,
  withLiveFleet,
} from './live-fleet.ts'

const v1 = 'lighthouse.example.dev/v1'
const v2 = 'lighthouse.example.dev/v2'
/** Requests that wait in the sockets of the frozen server, each on a connection that it had accepted before. */
const bufferedWrites = isFullSize ? 200 : 60
const someWrites = isFullSize ? 500 : 40
/** Most of the time is spent on waiting for servers; the load need not make that longer than it is. */
const pauseMs = isFullSize ? 20 : 40

/** How often the run without the fence is repeated until it stores an old version. */
const unfencedAttempts = 4

interface Outcome {
  readonly history: History
  /** The findings of the audit. */
  readonly audit: SeenAudit
  /** The revision of the record that says: all servers store v2. */
  readonly agreedAt: number
  /** The revision of the record that contains the thawed server again. */
  readonly registeredAt: number
  /** The objects that were stored in the old version between the two. */
  readonly unrecorded: readonly StoredBeacon[]
  readonly answers: readonly Answer[]
  readonly loads: readonly WriteLoad[]
}

for (const store of storeKinds) {
  test(`zombie on ${store}: thawed after its expulsion, it stores nothing old before it is registered again`, async (t) => {
    await runZombie(t, store, strataServe, ({ history, audit, unrecorded, answers, loads }) => {
      assert.deepEqual(unrecorded, [])
      assert.deepEqual(history.violations, [])
      assert.deepEqual(
        [audit.code, audit.exceptions, audit.ambiguous, audit.puts - audit.marked, audit.whole],
        [0, 0, 0, 0, true],
      )
      for (const load of loads) assert.deepEqual(judgeLoad(load, history), [])
      for (const [index, { status, body }] of answers.entries()) {
        const put = history.puts.find(({ name }) => name === `buffered-${index}`)
        assert.ok([201, 503].includes(status), JSON.stringify(body))
        // Nothing is said to be stored that is not, and nothing the other way round.
        assert.equal(put?.revision, status === 201 ? Number(body.metadata.resourceVersion) : undefined)
      }
    })
  })

  // The result without it is shown once, except at full size.
  if (store !== storeKinds[0] && !isFullSize) continue
  test(`zombie on ${store}: without the fence the same course of events stores the old version unrecorded`, async (t) => {
    let stored = 0
    // The thawed server may read the record before it reads its sockets. Then nothing goes wrong even without the fence.
    for (let attempt = 0; attempt < unfencedAttempts && stored === 0; attempt++) {
      await runZombie(t, store, unfencedServe, ({ history, audit, unrecorded }) => {
        stored = unrecorded.length
        for (const { revision } of unrecorded) {
          assert.ok(history.violations.some((violation) => violation.revision === revision))
        }
        if (stored > 0) assert.equal(audit.code, 1)
        assert.equal(audit.exceptions >= stored, true, 'the audit reports them')
      })
    }
    assert.ok(stored > 0, 'the fence was removed, and nothing went wrong')
  })
}

async function runZombie(
  t: TestContext,
  store: StoreKind,
  serve: StartServe,
  judge: (outcome: Outcome) => void,
): Promise<void> {
  await withLiveFleet({ store, serve, leaseDurationSeconds: 4 }, async (fleet) => {
    await fleet.startAll('x+1')
    const zombie = fleet.server('c')
    const id = fleet.idOf('c')
    fleet.collectors('a', 'b')
    await using load = startLoad(fleet, ['a', 'b'], 'load')
    await load.untilMore(someWrites)

    await openConnections(fleet)
    await freezeBetweenWrites(zombie, load)
    const buffered = Array.from({ length: bufferedWrites }, (_, index) => bufferWrite(fleet, index))
    // The first failure is thrown, and not that the frozen server was ended because of it.
    for (const each of buffered) each.catch(() => {})
    await untilExpelled(fleet, id)
    await fleet.restart('a', 'x+2')
    await fleet.restart('b', 'x+2')
    const agreedAt = await assertAgreedWithout(fleet, id)
    await load.untilMore(someWrites)

    zombie.signal('SIGCONT')
    await using late = startLoad(fleet, ['c'], 'late')
    const answers = await Promise.all(buffered)
    await assertDisagreedAgain(fleet, id)
    await late.untilMore(someWrites)
    await Promise.all([load.stop(), late.stop()])

    const history = await fleet.history()
    const audit = await fleet.audit()
    const registeredAt =
      history.records.find(({ revision, encodings }) => revision > agreedAt && id in encodings)?.revision ?? 0
    const unrecorded = history.puts.filter(
      ({ revision, apiVersion }) => revision > agreedAt && revision < registeredAt && apiVersion === v1,
    )
    t.diagnostic(
      JSON.stringify({
        ...{ agreedAt, registeredAt, unrecorded: unrecorded.length, violations: history.violations.length },
        audit: { code: audit.code, exceptions: audit.exceptions, puts: audit.puts },
        buffered: countStatuses(answers),
        ...{ load: load.counts, late: late.counts },
      }),
    )
    judge({ history, audit, agreedAt, registeredAt, unrecorded, answers, loads: [load, late] })
  })
}

const unfencedServe: StartServe = ({ name, port, release, dataDir, store, leaseDurationSeconds }) => {
  const paths = pathsBelow(dataDir)
  const [, endpoints] = store
  const options: ServeOptions = {
    store:
      endpoints === undefined
        ? { kind: 'sqlite', directory: paths.storeDir }
        : { kind: 'etcd', endpoints: endpoints.split(',') },
    bindAddress: '127.0.0.1',
    securePort: port,
    certDir: paths.certDir,
    instance: name,
    release,
    resourceModules: [lighthouseModule],
    leaseDurationSeconds,
    renewIntervalSeconds: 1,
    compactionMs: 0,
    traceWriters: true,
  }
  return new StrataProcess(name, [JSON.stringify(options)], join(import.meta.dirname, 'unfenced-serve.ts'))
}

function startLoad(fleet: LiveFleet, through: readonly ('a' | 'b' | 'c')[], label: string): WriteLoad {
  const servers = through.map((name) => fleet.transport(name))
  const { random } = fleet.world
  return new WriteLoad({
    ...{ servers: () => servers, apiVersions: () => ['v1', 'v2'], random, label, writers: 4, pauseMs },
  })
}

/** A frozen server accepts no connection; clients that have one may still write into its sockets. */
async function openConnections(fleet: LiveFleet): Promise<void> {
  const requests = Array.from({ length: bufferedWrites }, () => ask(fleet.transport('c'), 'GET', '/version'))
  for (const { status } of await Promise.all(requests)) assert.equal(status, 200)
}

function bufferWrite(fleet: LiveFleet, index: number): Promise<Answer> {
  const object = {
    ...{ apiVersion: v1, kind: 'Beacon', metadata: { name: `buffered-${index}` } },
    spec: { everySeconds: 5, colour: `buffered-${index}` },
  }
  return ask(fleet.transport('c'), 'POST', beaconPath('v1'), object, { giveUpMs: 200_000 })
}

/** Its Lease is gone, and its entries. */
async function untilExpelled(fleet: LiveFleet, id: string): Promise<void> {
  const leasePath = `/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${id}`
  await until(
    'the frozen server is expelled',
    async () => {
      const lease = await ask(fleet.transport('a'), 'GET', leasePath)
      const record = await ask(fleet.transport('a'), 'GET', agreementPath)
      return lease.status === 404 && !serversOf(record).includes(id)
    },
    { giveUpMs: 60_000 },
  )
}

const serversOf = ({ body }: Answer): string[] =>
  body.status.servers.map(({ serverID }: { serverID: string }) => serverID)

/** The record says that all servers store v2. Returns the revision from which on it does. */
async function assertAgreedWithout(fleet: LiveFleet, id: string): Promise<number> {
  let status: SeenStatus | undefined
  // Its entries for kinds other than beacons may be collected a little later.
  await until(
    'all that remain agree on everything',
    async () => {
      status = await fleet.status('b')
      return status.code === 0
    },
    { giveUpMs: 60_000 },
  )
  assert.deepEqual([status?.agreedVersion, status?.servers.includes(id)], [v2, false])
  const projected = await ask(fleet.transport('a'), 'GET', storageVersionPath)
  assert.equal(projected.body.status.commonEncodingVersion, v2)
  const record = await ask(fleet.transport('a'), 'GET', agreementPath)
  assert.equal(record.body.status.agreedVersion, v2)
  return Number(record.body.metadata.resourceVersion)
}

/** It has registered again in its own version, and the record shows it. */
async function assertDisagreedAgain(fleet: LiveFleet, id: string): Promise<void> {
  await until(
    'the thawed server is registered again',
    async () => serversOf(await ask(fleet.transport('a'), 'GET', agreementPath)).includes(id),
    { giveUpMs: 60_000 },
  )
  const status = await fleet.status('b')
  assert.deepEqual([status.code, status.agreedVersion, status.encodes[id]], [1, undefined, v1])
}

function countStatuses(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
