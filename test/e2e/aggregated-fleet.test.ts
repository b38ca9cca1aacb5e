import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ask } from '../support/ask.ts'
import { type Answer, beaconPath } from '../support/fleet.ts'
import { isFullSize } from '../support/full-size.ts'
import { type LoadedKind, loadedBeacons } from '../support/loaded-kind.ts'
import { countVersions, type History } from '../support/raw-history.ts'
import { until } from '../support/until.ts'
import { WriteLoad } from '../support/write-load.ts'
import { freezeBetweenWrites } from './freeze.ts'
import { judgeLoad } from './judge-load.ts'
import { type LiveAggregation, loadedHarbours, said, withLiveAggregation } from './live-aggregation.ts'
import { type LiveFleet, serverNames } from './live-fleet.ts'
import { storedVersions } from './operator.ts'

const name = 'beacons.lighthouse.example.dev'
const v1 = 'lighthouse.example.dev/v1'
const v2 = 'lighthouse.example.dev/v2'
/** Objects that only the migration writes. */
const still = isFullSize ? 4_000 : 300
const someWrites = isFullSize ? 500 : 30
/** Writes that wait in the sockets of the frozen server. */
const bufferedWrites = isFullSize ? 200 : 20
const pauseMs = isFullSize ? 20 : 60
const patience = { giveUpMs: 60_000 }

test('an aggregated fleet behind an aggregator fleet: both are rolled under load, one server is frozen, one killed, and nothing unrecorded is stored', async (t) => {
  await withLiveAggregation(4, async (live) => {
    const { front, behind } = live
    await live.start('x+1')
    await fill(live)
    await using beacons = startLoad(front, loadedBeacons, 'passed')
    await using harbours = startLoad(front, loadedHarbours, 'own')
    await beacons.untilMore(someWrites)
    await Promise.all([assertAgreed(live, v1, ['a', 'b']), assertClean(live, v1)])

    await openConnections(behind)
    const frozen = behind.server('b')
    await freezeBetweenWrites(frozen, beacons, () => live.isolate('b'))
    const buffered = Array.from({ length: bufferedWrites }, (_, index) => bufferWrite(behind, index))
    for (const each of buffered) each.catch(() => {})
    await Promise.all([live.untilExpelled('b'), rollFront(live, harbours)])
    await assertAgreed(live, v1, ['a'])
    await replaceLast(live)
    await beacons.untilMore(someWrites)
    await assertAgreed(live, v2, ['a'])

    frozen.signal('SIGCONT')
    const answers = await Promise.all(buffered)
    await assertDisagreed(live)
    await live.stopBehind('b')
    await live.startBehind('b', 'x+2')
    await Promise.all([assertAgreed(live, v2, ['a', 'b']), assertStale(live)])
    await migrateThroughDeath(live)
    await assertClean(live, v2)
    await Promise.all([beacons.stop(), harbours.stop()])
    await judge(t, live, { beacons, harbours }, answers)
  })
})

function startLoad(fleet: LiveFleet, kind: LoadedKind, label: string): WriteLoad {
  const servers = serverNames.map((each) => fleet.transport(each))
  return new WriteLoad({
    ...{ servers: () => servers, apiVersions: () => ['v1', 'v2'], random: fleet.world.random, kind, label },
    ...{ writers: 3, pauseMs, rewritten: true, proxied: true },
  })
}

async function fill({ front }: LiveAggregation): Promise<void> {
  const left = Array.from({ length: still }, (_, index) => index).values()
  const work = async (server: (typeof serverNames)[number]): Promise<void> => {
    for (const index of left) {
      const { status, body } = await ask(
        front.transport(server),
        'POST',
        beaconPath('v1'),
        beaconOf(`still-${index}`),
      )
      assert.equal(status, 201, JSON.stringify(body))
    }
  }
  await Promise.all([...serverNames, ...serverNames].map(work))
}

const beaconOf = (label: string) => ({
  ...{ apiVersion: v1, kind: 'Beacon', metadata: { name: label } },
  spec: { everySeconds: 5, colour: label },
})

/** A frozen server accepts no connection; clients that have one may still write into its sockets. */
async function openConnections(behind: LiveFleet): Promise<void> {
  const requests = Array.from({ length: bufferedWrites }, () =>
    ask(behind.transport('b'), 'GET', `${beaconPath('v1')}?limit=1`),
  )
  for (const { status, body } of await Promise.all(requests)) assert.equal(status, 200, JSON.stringify(body))
}

function bufferWrite(behind: LiveFleet, index: number): Promise<Answer> {
  const object = beaconOf(`buffered-${index}`)
  return ask(behind.transport('b'), 'POST', beaconPath('v1'), object, { giveUpMs: 200_000 })
}

/** One server after the other. Their own kind is agreed on again, and aggregated servers do not count. */
async function rollFront({ front }: LiveAggregation, load: WriteLoad): Promise<void> {
  for (const each of serverNames) {
    await front.restart(each, 'x+2')
    await load.untilMore(5)
  }
  const { code, servers } = await front.status('b')
  assert.deepEqual([code, servers.toSorted()], [0, serverNames.map((each) => front.idOf(each)).sort()])
}

type Behind = 'a' | 'b'

/** `status` names the servers and their version, and the aggregator shows the same. */
async function assertAgreed(
  live: LiveAggregation,
  version: string,
  servers: readonly Behind[],
): Promise<void> {
  const encodes = Object.fromEntries(servers.map((each) => [live.behind.idOf(each), version]))
  const { code, document, output } = await live.strata('status', name)
  const [group] = document.aggregated
  assert.deepEqual([code, document.agreed, group.agreed], [0, true, true], output)
  const [resource] = group.resources
  assert.deepEqual([resource.agreedVersion, encodesOf(resource)], [version, encodes])
  await untilShown(live, encodes)
}

/** The thawed server has registered again in its own version: there is no agreement, and nothing is migrated. */
async function assertDisagreed(live: LiveAggregation): Promise<void> {
  const [a, b] = [live.behind.idOf('a'), live.behind.idOf('b')]
  await untilShown(live, { [a]: v2, [b]: v1 })
  const [status, verify, migrate] = await Promise.all([
    live.strata('status', name),
    live.strata('verify', name),
    live.strata('migrate', name, '--agreement-timeout', '1s'),
  ])
  const [group] = status.document.aggregated
  assert.deepEqual([status.code, status.document.agreed, group.agreed], [1, false, false], status.output)
  assert.deepEqual(encodesOf(group.resources[0]), { [a]: v2, [b]: v1 })
  const [seen] = verify.document.resources
  assert.deepEqual([verify.code, seen.verdict, seen.census.proven], [4, 'disagreed', false], verify.output)
  assert.deepEqual([migrate.code, migrate.document.resources[0].outcome], [4, 'aborted'], migrate.output)
  const stored = await storedVersions(live.origin, loadedBeacons)
  assert.ok((stored[v1] ?? 0) >= still, 'nothing was migrated')
}

/** No aggregated server is left until the next release starts: nothing is known, and nothing is said. */
async function replaceLast(live: LiveAggregation): Promise<void> {
  await live.stopBehind('a')
  const verifying = live.launch('verify', name)
  const { code, document, output } = await live.strata('status', name)
  const [group] = document.aggregated
  assert.deepEqual([code, document.agreed, group.agreed, group.resources], [2, false, false, []], output)
  assert.ok(group.unseen)
  await until('the command waits', () => /: waiting: /.test(verifying.output), patience)
  await live.startBehind('a', 'x+2')
  const verify = await said(verifying)
  const [seen] = verify.document.resources
  assert.deepEqual([verify.code, seen.verdict, seen.target.encodingVersion], [1, 'stale', v2], verify.output)
}

/** Counted where they are stored: what nobody has written since is in the old version. */
async function assertStale(live: LiveAggregation): Promise<void> {
  const { code, document, output } = await live.strata('census', name)
  const [{ verdict, census }] = document.resources
  assert.deepEqual([code, verdict, census.agreedVersion, census.unreadable], [1, 'stale', v2, 0], output)
  const counts = countsOf(census)
  assert.deepEqual(Object.keys(counts).sort(), [v1, v2])
  assert.equal(census.stale, counts[v1])
  assert.ok((counts[v1] ?? 0) >= still, output)
}

async function assertClean(live: LiveAggregation, version: string): Promise<void> {
  const all = await Promise.all([live.strata('verify', name), live.strata('census', name)])
  for (const { code, document, output } of all) {
    const [{ verdict, census }] = document.resources
    assert.deepEqual([code, verdict, census.stale, census.proven], [0, 'proven', 0, true], output)
    assert.deepEqual(countsOf(census), { [version]: census.total })
  }
}

/** The server that the command uses dies when some are rewritten and others are not. The command goes on through the next one. */
async function migrateThroughDeath(live: LiveAggregation): Promise<void> {
  const { front, origin } = live
  const before = (await storedVersions(origin, loadedBeacons))[v1] ?? 0
  const run = live.launch('migrate', name, '--through-api', '--concurrency', '1')
  const isHalfWay = async (): Promise<boolean> => {
    assert.ok(run.running, run.output)
    // It stands still while it is looked at, however fast it is.
    run.signal('SIGSTOP')
    const left = (await storedVersions(origin, loadedBeacons))[v1] ?? 0
    // The load rewrites a few itself.
    if (left < before - 20 && left > 0) return true
    run.signal('SIGCONT')
    return false
  }
  await until('it is in the middle', isHalfWay, patience)
  await front.server('a').kill()
  run.signal('SIGCONT')
  const { code, document, output } = await said(run)
  const { outcome, proof, total, quarantined } = document.resources[0]
  assert.deepEqual([code, outcome, proof, quarantined], [0, 'succeeded', 'proven', 0], output)
  assert.ok(total >= still)
  assert.deepEqual(Object.keys(await storedVersions(origin, loadedBeacons)), [v2])
}

/** What is shown in the aggregator follows: a Lease and an entry for each server. */
async function untilShown(live: LiveAggregation, encodes: Readonly<Record<string, string>>): Promise<void> {
  const wanted = JSON.stringify([Object.keys(encodes).sort(), Object.values(encodes).sort()])
  await until(
    `the aggregator shows ${wanted}`,
    async () => {
      const { leases, versions } = await live.mirror()
      return JSON.stringify([leases, versions]) === wanted
    },
    patience,
  )
}

const encodesOf = ({ servers }: { servers: Record<string, { encodes: string }> }): Record<string, string> =>
  Object.fromEntries(Object.entries(servers).map(([id, { encodes }]) => [id, encodes]))

const countsOf = (census: {
  encodings: readonly { encodingVersion: string; count: number }[]
}): Record<string, number> =>
  Object.fromEntries(census.encodings.map(({ encodingVersion, count }) => [encodingVersion, count]))

async function judge(
  t: TestContext,
  { front, behind }: LiveAggregation,
  { beacons, harbours }: { readonly beacons: WriteLoad; readonly harbours: WriteLoad },
  answers: readonly Answer[],
): Promise<void> {
  const both = [
    [behind, beacons, loadedBeacons],
    [front, harbours, loadedHarbours],
  ] as const
  await Promise.all(
    both.map(async ([fleet, load, kind]) => {
      const [audit, history] = await Promise.all([fleet.audit(), fleet.history(kind)])
      t.diagnostic(
        JSON.stringify({ puts: countVersions(history.puts), audited: audit.puts, load: load.counts }),
      )
      assert.deepEqual(
        [audit.code, audit.exceptions, audit.ambiguous, audit.puts - audit.marked, audit.whole],
        [0, 0, 0, 0, true],
        JSON.stringify(audit.exceptionList),
      )
      assert.deepEqual(judgeLoad(load, history), [])
      assert.deepEqual(Object.keys(countVersions(history.puts)).sort(), ['v1', 'v2'])
      if (fleet === behind) judgeThawed(history, behind.idOf('b'), answers)
    }),
  )
}

/** It stored nothing in its old version while all others had agreed on the new one, and what it answered is true. */
function judgeThawed({ records, puts }: History, id: string, answers: readonly Answer[]): void {
  const agreedAt = records.find(({ agreedVersion }) => agreedVersion === v2)?.revision ?? 0
  const again =
    records.find(({ revision, encodings }) => revision > agreedAt && id in encodings)?.revision ?? 0
  assert.ok(agreedAt > 0 && again > 0)
  const between = puts.filter(({ revision }) => revision > agreedAt && revision < again)
  assert.ok(between.length > 0)
  assert.deepEqual(countVersions(between), { v2: between.length })
  for (const [index, { status, body }] of answers.entries()) {
    const put = puts.find((each) => each.name === `buffered-${index}`)
    assert.ok([201, 503].includes(status), JSON.stringify(body))
    assert.equal(put?.revision, status === 201 ? Number(body.metadata.resourceVersion) : undefined)
  }
}
