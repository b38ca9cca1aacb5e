import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideAgreement, type ProtocolRules, protocolRules } from '@strata/server'
import { Gate } from './gate.ts'
import { beaconPrefix, exampleRecord, storageVersionPrefix } from './keys.ts'
import { rememberFirstReading } from './lying-store.ts'
import type { Sabotage } from './sabotage.ts'
import { dropRecordGuards } from './sabotaged-store.ts'
import { beacon, beacons, Stage } from './stage.ts'
import type { Reply } from './world/request.ts'

// Moments of a migration that random worlds rarely reach, each with its rule and without.

const v1 = 'lighthouse.example.dev/v1'
const v2 = 'lighthouse.example.dev/v2'
/** A frozen server is expelled before its requests time out. */
const quick = { leaseDurationSeconds: 6, renewIntervalSeconds: 2 }
const resource = { group: 'lighthouse.example.dev', resource: 'beacons' }

const without = (name: string, broken: Pick<Sabotage, 'rules' | 'wrapConnection'>): Sabotage => ({
  ...{ name, breaks: name, caughtBy: ['no-bugs'] },
  ...broken,
})

const question = (kind: string, plural: string, spec: object) => ({
  method: 'POST' as const,
  target: `/apis/strata.dev/v1alpha1/${plural}`,
  body: { apiVersion: 'strata.dev/v1alpha1', kind, metadata: {}, spec },
})
const reencode = (epoch: number, encodingVersion: string) =>
  question('StorageReencode', 'storagereencodes', { ...resource, epoch, encodingVersion })
const census = question('StorageCensus', 'storagecensuses', resource)

/** Two servers of one release, and an object that was stored by another one if `before` says so. */
async function begin(
  title: string,
  releases: { readonly before?: string; readonly now: string },
  sabotage?: Sabotage,
): Promise<{ readonly stage: Stage; readonly gate: Gate }> {
  const gate = new Gate()
  const stage = new Stage(title, quick, { tap: gate, sabotage })
  for (const name of ['a', 'b']) await stage.start(name, releases.before ?? releases.now)
  const made = await stage.ask('a', { method: 'POST', target: beacons, body: beacon('o', 'red') })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  if (releases.before !== undefined) for (const name of ['a', 'b']) await restart(stage, name, releases.now)
  await stage.pass(2_000)
  return { stage, gate }
}

async function restart(stage: Stage, name: string, release: string): Promise<void> {
  const member = stage.world.fleet.member(name)
  assert.ok(member)
  stage.world.fleet.stop(member)
  await stage.until(`${name} has left`, () => member.process.crashed)
  await stage.start(name, release)
}

/** The server is frozen until the others know nothing of it any more, and the other one has another release. */
async function leaveBehind(stage: Stage, name: string, other: string, release: string): Promise<void> {
  const member = stage.world.fleet.member(name)
  assert.ok(member)
  stage.world.disturbances.freeze(member.process)
  const isGone = (): boolean => !stage.world.isListed(member.run.process)
  await stage.until(`${name} is expelled`, isGone)
  await restart(stage, other, release)
  await stage.pass(1_000)
}

async function held(stage: Stage, gate: Gate): Promise<void> {
  await stage.until('it is on its way', () => gate.holds)
}

const checkersOf = (stage: Stage): readonly string[] => [
  ...new Set(stage.broken().map(({ checker }) => checker)),
]

for (const [name, sabotage] of [
  ['is refused', undefined],
  [
    'is stored where the epoch is not guarded',
    without('reencode-unguarded', { wrapConnection: dropRecordGuards }),
  ],
] as const) {
  test(`migration: a batch that arrives when its epoch is over ${name}`, async () => {
    const { stage, gate } = await begin(`late batch ${name}`, { before: 'x+2', now: 'x+1' }, sabotage)
    const { epoch, agreedVersion } = stage.record.status
    assert.equal(agreedVersion, v1)
    gate.hold(({ server, kind, keys }) => server === 'b' && kind === 'commit' && keys.some(isBeacon))
    void stage.send('b', reencode(epoch, v1)).catch(() => {})
    await held(stage, gate)
    await leaveBehind(stage, 'b', 'a', 'x+2')
    assert.equal(stage.record.status.agreedVersion, v2)
    gate.letGo()
    await stage.pass(1_000)
    if (!sabotage) stage.verify()
    else assert.ok(checkersOf(stage).includes('migration-proof'))
  })
}

const projection = `${storageVersionPrefix}${exampleRecord}`
const isBeacon = (key: string): boolean => key.startsWith(beaconPrefix)

for (const [name, sabotage] of [
  ['is not called proven', undefined],
  [
    'is called proven where the record is not read again',
    without('census-unconfirmed', { wrapConnection: rememberFirstReading }),
  ],
] as const) {
  test(`migration: a census that began in an epoch which is over when it reads ${name}`, async () => {
    const { stage, gate } = await begin(`late census ${name}`, { now: 'x+2' }, sabotage)
    const { epoch } = stage.record.status
    gate.hold(({ server, kind, keys }) => server === 'b' && kind === 'list' && keys.some(isBeacon))
    const { nowMs } = stage.world.simulation
    let answer: Reply | undefined
    void stage.send('b', census).then((reply) => {
      answer = reply
    })
    await held(stage, gate)
    await restart(stage, 'a', 'x+1')
    assert.notEqual(stage.record.status.epoch, epoch)
    gate.letGo()
    await stage.until('it is answered', () => answer !== undefined)
    const { status } = answer?.body ?? {}
    assert.deepEqual([status.epoch, status.stale, status.proven], [epoch, 0, sabotage !== undefined])
    stage.world.history.migrations.push({
      ...{ record: exampleRecord, startMs: nowMs, lastLookMs: nowMs },
      target: { resource, how: 'record', fenced: true, epoch, encodingVersion: v2 },
      revision: Number(status.resourceVersion),
      end: {
        endMs: stage.world.simulation.nowMs,
        ...(status.proven
          ? { outcome: 'succeeded', proof: 'proven' }
          : { outcome: 'incomplete', proof: 'unknown' }),
      },
    })
    assert.equal(checkersOf(stage).includes('proven-clean'), sabotage !== undefined)
  })
}

/** Whatever is agreed by then is taken to be proven. */
const settlesAnyEpoch: ProtocolRules['decideAgreement'] = (facts) => {
  const { agreedVersion: encodingVersion } = decideAgreement(facts)
  if (!facts.proof || !facts.previous || encodingVersion === undefined) return decideAgreement(facts)
  return decideAgreement({
    ...facts,
    proof: { ...facts.proof, epoch: facts.previous.epoch, encodingVersion },
  })
}

for (const [name, sabotage] of [
  ['settles nothing', undefined],
  [
    'makes the record lie where epochs are not compared',
    without('settled', { rules: { ...protocolRules, decideAgreement: settlesAnyEpoch } }),
  ],
] as const) {
  test(`migration: a proof that is put down when its epoch is over ${name}`, async () => {
    const { stage, gate } = await begin(`late proof ${name}`, { before: 'x+1', now: 'x+2' }, sabotage)
    // What was stored before is in the old version, and is written again, so that there is something to settle.
    const { epoch } = stage.record.status
    assert.equal((await stage.ask('a', reencode(epoch, v2))).body.status.outcome, 'Done')
    // The record that is to be changed is read together with what is projected from it.
    gate.hold(({ server, kind, keys }) => server === 'b' && kind === 'read' && keys.includes(projection))
    void stage.send('b', census).catch(() => {})
    await held(stage, gate)
    await leaveBehind(stage, 'b', 'a', 'x+1')
    assert.equal(stage.record.status.agreedVersion, v1)
    gate.letGo()
    const b = stage.world.fleet.member('b')
    assert.ok(b)
    stage.world.disturbances.thaw(b.process)
    await stage.pass(10_000)
    assert.equal(checkersOf(stage).includes('persisted-versions'), sabotage !== undefined)
  })
}
