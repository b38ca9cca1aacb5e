import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { HistoryException } from '../history-audit/findings.ts'
import { isFullSize } from '../support/full-size.ts'
import { loadedApiVersion, loadedBeacons, loadedGadgets } from '../support/loaded-kind.ts'
import { countVersions, type History, historyOf, readChanges } from '../support/raw-history.ts'
import { Journey, type Leg, loadedKinds, type Times } from './journey.ts'
import { inForm, releases, type Station } from './journey-plan.ts'
import { judgeDefinitions } from './judge-definitions.ts'
import { expectedList, judgeLoad } from './judge-load.ts'
import { type SeenAudit, type StoreKind, withLiveFleet } from './live-fleet.ts'

/** Acknowledged writes of each kind that are awaited half-way. */
const someWrites = isFullSize ? 200 : 15

const thereAndBackAndThere = ['x', 'x+1', 'x+2', 'x+3', 'x+2', 'x+1', 'x', 'x+1', 'x+2', 'x+3'] as const

interface Plan {
  readonly store: StoreKind
  readonly stations: readonly Station[]
}

/** All forms, strict and loose, and from one to the other in the middle of an upgrade and of a rollback. */
const allForms: readonly Station[] = [
  ...inForm('report', 'x', 'x+1'),
  ...inForm('vote', 'x+2', 'x+3', 'x+2', 'x+1'),
  ...inForm('report', 'x', 'x+1'),
  ...inForm('loose', 'x+2', 'x+1'),
]

/** The same changes of form, between the releases in which something else is stored. */
const mostForms: readonly Station[] = [
  ...inForm('report', 'x+1'),
  ...inForm('vote', 'x+2', 'x+3', 'x+2'),
  ...inForm('report', 'x+1'),
  ...inForm('loose', 'x+2', 'x+1'),
]

const plans: Readonly<Record<string, Plan>> = {
  'each form in turn, from one to the other in the middle of an upgrade': {
    store: 'etcd',
    stations: isFullSize ? allForms : mostForms,
  },
  ...(isFullSize
    ? {
        'report, strict': { store: 'etcd', stations: inForm('report', ...thereAndBackAndThere) },
        'vote, strict': { store: 'etcd', stations: inForm('vote', ...thereAndBackAndThere) },
        'vote, loose': { store: 'etcd', stations: inForm('loose', ...thereAndBackAndThere) },
        'each form in turn on SQLite': { store: 'sqlite', stations: allForms },
      }
    : {}),
}

for (const [name, { store, stations }] of Object.entries(plans)) {
  test(`journey from release to release under load: ${name}`, async (t) => {
    await withLiveFleet({ store }, (fleet) =>
      fleet.withStore(async (raw) => {
        const [first, ...others] = stations
        assert.ok(first)
        await using journey = await Journey.begin(fleet, raw, someWrites, first)
        for (const station of others) await journey.goTo(station)
        await journey.stop()

        const audit = await fleet.audit()
        const changes = await readChanges(raw)
        tell(t, journey.times, audit)
        judgeAudit(t, audit, journey.legs)
        for (const [label, kind] of Object.entries(loadedKinds)) {
          const load = journey.loads[label as keyof typeof loadedKinds]
          const history = historyOf(changes, kind)
          t.diagnostic(JSON.stringify({ [label]: countVersions(history.puts), answers: load.counts }))
          assert.deepEqual(judgeLoad(load, history), [])
          assert.deepEqual(undocumented(load.counts), [])
          assert.ok(Object.keys(expectedList(history)).length > 0)
          if (kind === loadedGadgets) assert.deepEqual(judgeDefinitions(history, kind), [])
          if (kind === loadedBeacons) {
            for (const leg of journey.legs) judgeSelection(history, leg)
          }
        }
      }),
    )
  })
}

/** The errors that a client must expect while servers come and go; each 503 has a Retry-After. */
const documented = new Set([
  ...['acknowledged', 'looked', 'read back', 'could not connect', 'connection lost'],
  '503 ServiceUnavailable',
  // For a write whose first response was lost with its server, or that the operator was ahead of.
  ...['409 Conflict', '409 AlreadyExists', '404 NotFound'],
])
const undocumented = (counts: Readonly<Record<string, number>>): string[] =>
  Object.keys(counts).filter((each) => !documented.has(each))

/** Nothing unrecorded; of loose servers, only in the moments in which the news travels. */
function judgeAudit(t: TestContext, audit: SeenAudit, legs: readonly Leg[]): void {
  assert.deepEqual([audit.whole, audit.ambiguous, audit.unseen, audit.puts - audit.marked], [true, 0, 0, 0])
  const isLate = ({ revision }: HistoryException): boolean =>
    legs.some(
      ({ from, to, lastLeftAt, settledAt }) =>
        [from.form, to.form].includes('loose') && revision > lastLeftAt && revision <= settledAt,
    )
  const late = audit.exceptionList.filter(isLate)
  if (late.length > 0) t.diagnostic(`late writes of loose servers: ${JSON.stringify(late.slice(0, 3))}`)
  assert.deepEqual(
    audit.exceptionList.filter((each) => !isLate(each)),
    [],
  )
  for (const each of late) assert.deepEqual([each.reason, each.guarantee], ['OtherVersion', 'loose'])
  assert.equal(audit.code, late.length > 0 ? 1 : 0)
}

/** Among voters what is written does not move while old servers are there, and moves with the last of them. */
function judgeSelection({ records }: History, { from, to, leftAt, lastLeftAt, settledAt }: Leg): void {
  if (from.form === 'report' || to.form === 'report') return
  const [before, next] = [from, to].map(({ release }) =>
    loadedApiVersion(loadedBeacons, releases[release].stores),
  )
  const during = records.filter(({ revision }) => revision > leftAt && revision <= lastLeftAt)
  assert.deepEqual(distinct(during.map(({ selectedVersion }) => selectedVersion)), [before])
  // Nothing is agreed on while a server that starts has a Lease and no entry yet.
  const agreed = during.map(({ agreedVersion }) => agreedVersion).filter((each) => each !== undefined)
  assert.deepEqual(distinct(agreed), [before])
  const after = records.filter(({ revision }) => revision > lastLeftAt && revision <= settledAt)
  assert.equal(after.at(-1)?.selectedVersion, next)
  const flipped = after.find(({ selectedVersion }) => selectedVersion === next)
  assert.deepEqual(distinct(Object.values(flipped?.candidates ?? {})), [next])
}

const distinct = <T>(all: readonly T[]): T[] => [...new Set(all)]

function tell(t: TestContext, times: Times, { puts, resources, exceptions }: SeenAudit): void {
  const counted = resources.filter((each) => each.puts > 0).length
  t.diagnostic(`audit: ${puts} puts of ${counted} resources, ${exceptions} exceptions`)
  for (const [what, all] of Object.entries(times) as [keyof Times, number[]][]) {
    const sorted = all.toSorted((a, b) => a - b)
    const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed()
    t.diagnostic(`${what}: median ${at(0.5)} ms, longest ${at(1)} ms, of ${all.length}`)
  }
}
