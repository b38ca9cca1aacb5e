import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideAgreement, type ProtocolRules, protocolRules } from '@strata/server'
import { Gate } from './gate.ts'
import { beaconPrefix } from './keys.ts'
import { beacon, beacons, Stage } from './stage.ts'
import { partsOf } from './world/shape.ts'

// What a record remembers of what may be stored, in the moment in which it would be too little.

const [v1, v2] = ['lighthouse.example.dev/v1', 'lighthouse.example.dev/v2']

/** A version that no server writes any more keeps the epoch before, even if a loose server that is gone may still write it. */
const uncarried: ProtocolRules['decideAgreement'] = (facts) => {
  const decided = decideAgreement(facts)
  const { previous } = facts
  if (!previous || decided.epoch === previous.epoch) return decided
  const isWritten = (version: string): boolean => decided.encodings.some((each) => each.startsWith(version))
  return {
    ...decided,
    persisted: (decided.persisted ?? []).map((each) =>
      each.epoch === decided.epoch && !isWritten(each.encodingVersion)
        ? { ...each, epoch: previous.epoch }
        : each,
    ),
  }
}

for (const isBroken of [false, true]) {
  const what = isBroken ? 'is missed where its epoch is not carried on' : 'is among what may be stored'
  test(`memory: what a loose server that is gone stores in a later epoch ${what}`, async () => {
    const gate = new Gate()
    const quick = { leaseDurationSeconds: 6, renewIntervalSeconds: 2, parts: partsOf['one-loose'] }
    const sabotage = {
      ...{ name: 'uncarried', breaks: 'rule 14', caughtBy: ['persisted-versions'] as const },
      rules: { ...protocolRules, decideAgreement: uncarried },
    }
    const stage = new Stage(`carried ${what}`, quick, { tap: gate, ...(isBroken ? { sabotage } : {}) })
    await stage.start('a', 'x+1')
    const b = await stage.start('b', 'x+1')
    gate.hold(({ server, kind, keys }) => {
      return server === 'b' && kind === 'commit' && keys.some((key) => key.startsWith(beaconPrefix))
    })
    void stage.send('b', { method: 'POST', target: beacons, body: beacon('late', 'red') }).catch(() => {})
    await stage.until('it is on its way', () => gate.holds)
    stage.world.disturbances.freeze(b.process)
    const isListed = (): boolean => stage.record.status.servers.some((each) => each.process === b.run.process)
    await stage.until('b is expelled', () => !isListed())
    const a = stage.world.fleet.member('a')
    assert.ok(a)
    stage.world.fleet.stop(a)
    await stage.until('a has left', () => a.process.crashed)
    await stage.start('a', 'x+2')
    await stage.pass(1_000)
    const { epoch, looseUntilSettled, persisted = [] } = stage.record.status
    assert.ok(looseUntilSettled, 'b may still write')
    const known = persisted.find(({ encodingVersion }) => encodingVersion === v1)
    assert.equal(known?.epoch === epoch, !isBroken)
    gate.letGo()
    await stage.pass(1_000)
    const found = stage.broken().filter(({ checker }) => checker === 'persisted-versions')
    assert.equal(found.length > 0, isBroken, JSON.stringify(found))
  })
}

// Rule 14. To carry v1 on would be to carry it on for ever: a loose fleet would never be clean. So a migrator waits instead.
test('memory: what a loose voter that stays had on its way when the selection moved is named, in the epoch before', async () => {
  const gate = new Gate()
  const stage = new Stage('a late write of one that stays', { parts: partsOf['some-loose'] }, { tap: gate })
  const a = await stage.start('a', 'x+1')
  const b = await stage.start('b', 'x+2')
  gate.hold(({ server, kind, keys }) => {
    return server === 'b' && kind === 'commit' && keys.some((key) => key.startsWith(beaconPrefix))
  })
  void stage.send('b', { method: 'POST', target: beacons, body: beacon('late', 'red') }).catch(() => {})
  await stage.until('it is on its way', () => gate.holds)
  stage.world.fleet.stop(a)
  const entryOfB = () => stage.record.status.servers.find((each) => each.process === b.run.process)
  await stage.until('the selection has moved', () => entryOfB()?.encodingVersion === v2)
  gate.letGo()
  await stage.pass(1_000)
  const { epoch, persisted = [] } = stage.record.status
  assert.equal(persisted.find(({ encodingVersion }) => encodingVersion === v1)?.epoch, epoch - 1)
  const about = ['persisted-versions', 'recorded-version']
  assert.deepEqual(
    stage.broken().filter(({ checker }) => about.includes(checker)),
    [],
  )
})
