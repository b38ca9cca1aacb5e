import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type CustomResourceDefinition,
  customResourceDefinitions,
  groupResourceText,
  looseSettledMs,
  storageVersionNameOf,
} from '@strata/api'
import { type Client, createClient } from '@strata/client'
import {
  decidePrune,
  type MigrationTarget,
  migrate,
  observeTarget,
  prunePatch,
  type TargetDecision,
} from '@strata/controllers'
import { adminToken } from '../support/fleet.ts'
import { Gate } from './gate.ts'
import { beaconPrefix, customGroup, exampleRecord } from './keys.ts'
import { beacon, beacons, Stage } from './stage.ts'
import { definition, definitionPath, definitionsPath, type Wanted } from './world/definitions.ts'
import { partsOf } from './world/shape.ts'

// What is claimed of a migration, and what is cut down on its word, in the moment in which it would be wrong.

const v2 = 'lighthouse.example.dev/v2'
const resource = { group: 'lighthouse.example.dev', resource: 'beacons' }
const { signal } = new AbortController()

function clientOf({ world }: Stage) {
  const process = world.simulation.process('migrator', { host: 'another desk' })
  const client: Client = createClient({ transport: world.network.connect(process, 'a'), token: adminToken })
  return { process, client }
}

const fenced = (seen: TargetDecision): TargetDecision =>
  seen.agreed ? { agreed: true, target: { ...seen.target, fenced: true } } : seen

/** A loose server of x+1 is gone with a write on its way, and all that are left have gone on to x+2. */
async function leaveLoose(title: string): Promise<{ readonly stage: Stage; readonly gate: Gate }> {
  const gate = new Gate()
  const quick = { leaseDurationSeconds: 6, renewIntervalSeconds: 2, parts: partsOf['one-loose'] }
  const stage = new Stage(title, quick, { tap: gate })
  const { fleet, disturbances } = stage.world
  await stage.start('a', 'x+1')
  const b = await stage.start('b', 'x+1')
  await stage.ask('a', { method: 'POST', target: beacons, body: beacon('o', 'red') })
  gate.hold(({ server, kind, keys }) => {
    return server === 'b' && kind === 'commit' && keys.some((key) => key.startsWith(beaconPrefix))
  })
  void stage.send('b', { method: 'POST', target: beacons, body: beacon('late', 'red') }).catch(() => {})
  await stage.until('it is on its way', () => gate.holds)
  disturbances.freeze(b.process)
  // A mark is left of it (rule 14).
  const isListed = (): boolean => stage.record.status.servers.some((each) => each.process === b.run.process)
  await stage.until('it is expelled', () => !isListed())
  const a = fleet.member('a')
  assert.ok(a)
  fleet.stop(a)
  await stage.until('a has left', () => a.process.crashed)
  await stage.start('a', 'x+2')
  await stage.pass(1_000)
  return { stage, gate }
}

function claim(
  { world }: Stage,
  target: MigrationTarget,
  startMs: number,
  proof: 'proven' | 'observed clean',
): void {
  const { nowMs: endMs } = world.simulation
  world.history.migrations.push({
    ...{ record: exampleRecord, target, startMs, lastLookMs: startMs },
    end: { endMs, outcome: 'succeeded', proof },
  })
}

for (const isBroken of [false, true]) {
  const what = isBroken ? 'is wrong where loose is taken for fenced' : 'claims no proof'
  test(`migration: while something of a loose server is on its way, a migration ${what}`, async () => {
    const { stage, gate } = await leaveLoose(`loose ${what}`)
    const { simulation } = stage.world
    const { process, client } = clientOf(stage)
    const observe = async (): Promise<TargetDecision> => {
      const seen = await observeTarget({ client, resource }, signal)
      return isBroken ? fenced(seen) : seen
    }
    const found = await simulation.settle(observe())
    assert.ok(found.agreed, JSON.stringify(found))
    const { target } = found
    assert.deepEqual([target.encodingVersion, target.fenced], [v2, isBroken])
    const startMs = simulation.nowMs
    const { outcome, proof } = await simulation.settle(
      migrate({ world: process, client, target, observe, signal }),
    )
    assert.equal(proof === 'proven', isBroken, `${outcome}, ${proof}`)
    if (!isBroken) return
    claim(stage, target, startMs, 'proven')
    assert.deepEqual(cleanliness(stage), [])
    gate.letGo()
    await stage.pass(2_000)
    assert.equal(cleanliness(stage).length, 1)
  })
}

// Rule 14: what a loose server knew a minute ago it may still write by, and two passes are over in a second.
for (const isBroken of [false, true]) {
  const what = isBroken
    ? 'is wrong where it does not wait'
    : 'claims nothing in the 70 seconds after the switch'
  test(`migration: where servers are loose, one ${what}`, async () => {
    const { stage, gate } = await leaveLoose(`hold ${what}`)
    const { simulation } = stage.world
    const { process, client } = clientOf(stage)
    const observe = (): Promise<TargetDecision> => observeTarget({ client, resource }, signal)
    const found = await simulation.settle(observe())
    assert.ok(found.agreed && !found.target.fenced, JSON.stringify(found))
    const { target } = found
    const startMs = simulation.nowMs
    let isOver = false
    const waited = isBroken ? { stoodForMs: looseSettledMs } : {}
    void migrate({ world: process, client, target, observe, signal, ...waited }).then((result) => {
      isOver = true
      if (result.outcome === 'succeeded') claim(stage, target, startMs, 'observed clean')
    })
    await stage.pass(20_000)
    assert.equal(isOver, isBroken)
    gate.letGo()
    await stage.pass(2_000)
    await stage.until('it has ended', () => isOver, 300_000)
    assert.equal(cleanliness(stage).length, isBroken ? 1 : 0)
  })
}

const cleanliness = (stage: Stage) => stage.broken().filter(({ checker }) => checker === 'proven-clean')

const stateOf = (found: CustomResourceDefinition) => {
  const { uid = '', generation = 0 } = found.metadata
  return { uid, generation, storageVersion: storageVersionNameOf(found) ?? '' }
}

test('migration: what was proven before a definition changed prunes nothing; where that is not compared, it takes away what is stored', async () => {
  const stage = new Stage('late prune')
  await stage.start('a', 'x+1')
  const wanted: Wanted = { storage: 'v1', served: ['v1', 'v2'], mark: 'mark1' }
  await stage.ask('a', { method: 'POST', target: definitionsPath, body: definition('gadgets', wanted) })
  await stage.pass(2_000)
  const { client } = clientOf(stage)
  const definitions = client.resource(customResourceDefinitions, 'v1')
  const name = groupResourceText({ group: customGroup, resource: 'gadgets' })
  const read = () => stage.world.simulation.settle(definitions.get({ name }, signal))
  const store = async (storage: 'v1' | 'v2'): Promise<void> => {
    const next = definition('gadgets', { ...wanted, storage })
    const { resourceVersion } = (await read()).metadata
    const body = { ...next, metadata: { ...next.metadata, resourceVersion } }
    const { status } = await stage.ask('a', { method: 'PUT', target: definitionPath('gadgets'), body })
    assert.equal(status, 200)
    await stage.pass(2_000)
  }
  await store('v2')
  await store('v1')
  const gadget = { apiVersion: `${customGroup}/v1`, kind: 'Gadget', metadata: { name: 'one' }, spec: {} }
  const target = `/apis/${customGroup}/v1/namespaces/default/gadgets`
  assert.equal((await stage.ask('a', { method: 'POST', target, body: gadget })).status, 201)
  const proven = stateOf(await read())
  await store('v2')
  const now = await read()
  const decide = (state: typeof proven, succeeded = true) =>
    decidePrune({
      definition: now,
      evidence: { succeeded, proof: 'proven', definition: state },
      accept: 'proven',
    })
  assert.equal(decide(proven).do, 'refuse')
  // Nor does one that did not succeed, whatever it was about.
  assert.equal(decide(stateOf(now), false).do, 'refuse')
  stage.verify()

  const wrong = decide(stateOf(now))
  assert.ok(wrong.do === 'prune')
  const options = { subresource: 'status', fieldManager: 'pruner' } as const
  await stage.world.simulation.settle(definitions.patch({ name }, prunePatch(wrong), signal, options))
  assert.ok(stage.broken().some(({ checker }) => checker === 'pruned-on-proof'))
})
