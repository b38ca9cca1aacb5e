import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkHistory } from './checkers/index.ts'
import type { History, ObservedCommit } from './history.ts'
import { beaconPrefix } from './keys.ts'
import { beacon, beacons, Stage } from './stage.ts'
import { partsOf } from './world/shape.ts'

// Rules 14 and 19: a loose server stores its entry after the backup, and has a write under way when the store is restored.

const lateKey = `${beaconPrefix}default/late`
const v2 = 'lighthouse.example.dev/v2'

/**
 * a is strict and stores v1; b is loose. The restore undoes the entry of b, which says v2. b's write in v2 arrives `lateMs`
 * after the restore; b itself is frozen meanwhile.
 */
async function arrive(title: string, lateMs: number): Promise<Stage> {
  const arriving = Promise.withResolvers<void>()
  let isHeld = false
  const stage = new Stage(
    title,
    { parts: partsOf['one-loose'] },
    {
      sabotage: {
        ...{ name: 'none: holds a commit', breaks: 'nothing', caughtBy: ['recorded-version'] },
        wrapStore: (store) => ({
          ...store,
          commit: async (commit, signal) => {
            if (commit.writes.some(({ key }) => key === lateKey)) {
              isHeld = true
              await arriving.promise
            }
            return store.commit(commit, signal)
          },
        }),
      },
    },
  )
  const { data, disturbances, history, simulation } = stage.world
  await stage.start('a', 'x+1')
  const revision = data.revision
  const b = await stage.start('b', 'x+2')
  const mine = stage.record.status.servers.find(({ process }) => process === b.run.process)
  assert.equal(mine?.encodingVersion, v2)
  void stage.send('b', { method: 'POST', target: beacons, body: beacon('late', 'red') }).catch(() => {})
  await stage.until('it is on its way', () => isHeld)
  const highest = data.revision
  disturbances.freeze(b.process)
  data.restoreTo(revision)
  history.restores.push({
    ...{ atMs: simulation.nowMs, revision, highest },
    commitsBefore: history.commits.length,
  })
  if (lateMs > 0) await stage.pass(lateMs)
  arriving.resolve()
  const isStored = (): boolean => data.read([lateKey]).entries[0] !== undefined
  await stage.until('it has arrived', isStored, 1_000)
  disturbances.thaw(b.process)
  return stage
}

const isGap = (stage: Stage): boolean => stage.record.status.recordingGap?.reason === 'StoreRestored'

test('restore: what a loose server sent by an entry that is lost is Unknown once a server has noticed', async () => {
  const stage = await arrive('arrives at once', 0)
  assert.ok(!isGap(stage))
  stage.verify()
  await stage.until('the record tells of the restore', () => isGap(stage))
  const unknown = stage.record.status.persisted?.some(({ encodingVersion }) => encodingVersion === 'Unknown')
  assert.ok(unknown)
  await stage.pass(30_000)
  stage.verify()
})

test('restore: nothing is promised of it if it comes after the gap', async () => {
  const stage = await arrive('arrives after the gap', 8_000)
  assert.ok(isGap(stage))
  stage.verify()
})

/** The same history, but for the late commit and for who sent it. */
function violationsOf(
  { world: { history } }: Stage,
  changed: Partial<ObservedCommit>,
  more: Partial<History> = {},
): readonly string[] {
  const commits = history.commits.map((each) =>
    each.changes.some(({ key }) => key === lateKey) ? { ...each, ...changed } : each,
  )
  return checkHistory({ ...history, commits, ...more }).map(({ checker }) => checker)
}

test('restore: a loose server has no other excuse', async () => {
  const stage = await arrive('no other excuse', 0)
  const { history } = stage.world
  const [restore] = history.restores
  assert.ok(restore)
  await stage.until('all have noticed', () => history.restoresNoticed.length === 2)
  assert.ok(!violationsOf(stage, {}).includes('recorded-version'))

  const noticed = history.restoresNoticed.find(({ writer }) => writer === 'b')
  assert.ok(noticed)
  const sentMs = noticed.atMs + 1
  const cases: Record<string, [Partial<ObservedCommit>, Partial<History>?]> = {
    'sent after its server had noticed': [{ sentMs }],
    'arrives more than 70 s after the restore': [{ atMs: restore.atMs + 75_000 }],
    'sent by a server that had another entry': [{ writer: 'a' }],
    'sent by a strict server': [
      {},
      { runs: history.runs.map((run) => ({ ...run, part: { ...run.part, guarantee: 'strict' } })) },
    ],
  }
  for (const [what, [changed, more]] of Object.entries(cases)) {
    const found = violationsOf(stage, changed, more)
    for (const each of ['recorded-version', 'migration-proof', 'persisted-versions'])
      assert.ok(found.includes(each), `${what}: ${each}`)
  }
})
