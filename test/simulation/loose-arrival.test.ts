import assert from 'node:assert/strict'
import { test } from 'node:test'
import { looseArrivalMs, looseSettledMs, oldestLooseViewMs } from '@strata/api'
import { Gate } from './gate.ts'
import { beaconPrefix } from './keys.ts'
import { ignoreDeadlines } from './lying-store.ts'
import { beacon, beacons, Stage } from './stage.ts'
import { partsOf } from './world/shape.ts'

// Rule 14: from when on nothing comes any more that a loose server wrote by what stood before.

const v2 = 'lighthouse.example.dev/v2'
const sabotage = {
  ...{ name: 'unlimited', breaks: 'rule 14', caughtBy: ['recorded-version'] as const },
  wrapConnection: ignoreDeadlines,
}

/** b is loose, cut off, and about to write v1 when its view is nearly too old; all others have gone on to v2 long ago. */
async function sendLate(title: string, isBroken: boolean) {
  const gate = new Gate()
  const shape = { leaseDurationSeconds: 300, instances: ['a', 'b', 'c'], parts: partsOf['some-loose'] }
  const stage = new Stage(title, shape, { tap: gate, ...(isBroken ? { sabotage } : {}) })
  const { simulation, fleet, disturbances } = stage.world
  const a = await stage.start('a', 'x+1')
  const b = await stage.start('b', 'x+2')
  await stage.start('c', 'x+2', { form: 'vote', guarantee: 'strict' })
  const entryOfB = () => stage.record.status.servers.find((each) => each.process === b.run.process)
  disturbances.cutOff(b.process)
  const cutMs = simulation.nowMs
  fleet.stop(a)
  await stage.until('the selection has moved', () => entryOfB()?.encodingVersion === v2)
  const switchedMs = simulation.nowMs
  // The last measurement of its view was up to ten seconds before it was cut off.
  await stage.pass(cutMs + oldestLooseViewMs - 11_000 - simulation.nowMs)
  gate.hold(({ server, kind, keys }) => {
    return server === 'b' && kind === 'commit' && keys.some((key) => key.startsWith(beaconPrefix))
  })
  const answer = stage.send('b', { method: 'POST', target: beacons, body: beacon('late', 'red') })
  await stage.until('it is on its way', () => gate.holds)
  return { stage, gate, b, answer, switchedMs }
}

const storedLate = ({ world }: Stage) => world.data.read([`${beaconPrefix}default/late`]).entries[0]

// The others switch at t0; at t0 + 49 b lets v1 through, and cannot send it; b's client would wait until t0 + 83. A
// migrator has waited until t0 + 70, and found nothing of v1.
for (const isBroken of [false, true]) {
  const what = isBroken ? 'is stored after all have waited, where nothing ends it' : 'is given up'
  test(`loose: what was let through by an old view and does not arrive ${what}`, async () => {
    const { stage, gate, b, answer, switchedMs } = await sendLate(`late: ${what}`, isBroken)
    const { simulation, disturbances } = stage.world
    disturbances.reconnect(b.process)
    // And a little more, for the checker allows for clocks that are too slow.
    await stage.pass(switchedMs + looseSettledMs + 6_000 - simulation.nowMs)
    gate.letGo()
    const { status } = await simulation.settle(answer)
    assert.equal(status, isBroken ? 201 : 503)
    assert.equal(storedLate(stage) !== undefined, isBroken)
    const late = stage.broken().filter(({ checker }) => checker === 'recorded-version')
    assert.equal(late.length > 0, isBroken, JSON.stringify(late))
  })
}

test('loose: what arrives in time is stored', async () => {
  const { stage, gate, b, answer } = await sendLate('in time', false)
  stage.world.disturbances.reconnect(b.process)
  await stage.pass(looseArrivalMs - 1_000)
  gate.letGo()
  assert.equal((await stage.world.simulation.settle(answer)).status, 201)
  assert.ok(storedLate(stage))
  stage.verify()
})
