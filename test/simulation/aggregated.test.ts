import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AggregatedStage } from './aggregated/aggregated-stage.ts'
import { believeMirror, overlookOrigins } from './aggregated/mirror-sabotages.ts'
import { aggregatedGroup } from './keys.ts'
import type { Member } from './world/fleet.ts'

const v1 = `${aggregatedGroup}/v1`
const v2 = `${aggregatedGroup}/v2`

test('rule 15: an old mirror starts no migration and keeps none from starting', async () => {
  const stage = new AggregatedStage('old mirror')
  await stage.start('a', 'x+1')
  const behind: Member[] = []
  for (const name of ['p', 'q']) behind.push(await stage.startBehind(name, 'x+1'))
  await stage.create('one')
  await stage.settleMirror()
  assert.equal(stage.mirror.status.commonEncodingVersion, v1)

  // From here on the aggregator shows what was agreed before the upgrade.
  stage.world.mirrorWay.cut(true)
  const [p, q] = behind
  assert.ok(p && q)
  await stage.stopBehind(p)
  await stage.startBehind('p', 'x+2')
  await stage.pass(1_000)
  assert.equal(stage.originRecord().status.agreedVersion, undefined)
  assert.equal(stage.mirror.status.commonEncodingVersion, v1)
  const seen = await stage.look()
  assert.equal(seen.agreed, false)
  const believed = await stage.look(believeMirror)
  assert.equal(
    believed.agreed && believed.target.encodingVersion,
    v1,
    'the mirror alone would have been believed',
  )

  await stage.stopBehind(q)
  await stage.startBehind('q', 'x+2')
  await stage.pass(1_000)
  const run = await stage.migrate()
  assert.deepEqual(
    [run?.target.encodingVersion, run?.end?.outcome, run?.end?.proof],
    [v2, 'succeeded', 'proven'],
  )
  assert.equal(run?.target.epoch, stage.originRecord().status.epoch)
  assert.equal(stage.storedIn('one'), v2)
  assert.equal(stage.mirror.status.commonEncodingVersion, v1, 'and it is old still')

  stage.world.mirrorWay.cut(false)
  await stage.settleMirror()
  assert.equal(stage.mirror.status.commonEncodingVersion, v2)
  stage.verify()
})

test('rule 15: a frozen aggregated server thaws while the aggregator is down', async () => {
  const stage = new AggregatedStage('frozen behind')
  const { disturbances, simulation } = stage.world
  let a = await stage.start('a', 'x+1')
  // The first one leads the mirror.
  const p = await stage.startBehind('p', 'x+1')
  const q = await stage.startBehind('q', 'x+1')
  await stage.create('one')
  await stage.settleMirror()

  disturbances.freeze(p.process)
  const late = stage.writeThrough('p', 'one')
  const origin = stage.origin()
  await stage.until('p is expelled', () => !origin.isListed(p.run.process))
  await stage.stopBehind(q)
  await stage.startBehind('q', 'x+2')
  await stage.settleMirror()
  assert.equal(stage.originRecord().status.agreedVersion, v2)
  assert.equal(stage.mirror.status.commonEncodingVersion, v2)
  const { epoch } = stage.originRecord().status

  a.process.crash()
  disturbances.thaw(p.process)
  assert.equal((await simulation.settle(late)).status, 503)
  await stage.until('p has registered again', () => origin.isListed(p.run.process))
  assert.equal(stage.originRecord().status.agreedVersion, undefined)
  assert.equal(stage.originRecord().status.epoch, epoch + 1)
  assert.equal(stage.mirror.status.commonEncodingVersion, v2, 'nothing is shown while the aggregator is down')

  a = await stage.start('a', 'x+1')
  await stage.create('two')
  const seen = await stage.look()
  assert.equal(seen.agreed, false)
  await stage.settleMirror()
  assert.equal(stage.mirror.status.commonEncodingVersion, undefined)
  stage.verify()
})

test('rule 15: nothing is agreed on while two stores are named for one resource', async () => {
  const stage = new AggregatedStage('two origins', { aggregated: 1, twoOrigins: true })
  await stage.start('a', 'x+1')
  await stage.startBehind('p', 'x+1')
  const s = await stage.startBehind('s', 'x+1', 1)
  await stage.create('one')
  await stage.settleMirror()
  assert.equal(JSON.parse(stage.mirror.metadata.annotations['strata.dev/origins']).length, 2)
  assert.equal(stage.mirror.status.commonEncodingVersion, v1, 'although both encode the same')
  const seen = await stage.look()
  assert.match(seen.agreed ? '' : seen.because, /two origins/)

  // The service goes to the first fleet alone, and the mirror still names both.
  stage.world.mirrorWay.cut(true)
  await stage.stopBehind(s, 1)
  await stage.until('only p is asked', () => stage.world.origins[1]?.fleet.alive.length === 0)
  assert.equal((await stage.look()).agreed, false)
  assert.equal(
    (await stage.look(overlookOrigins)).agreed,
    true,
    'who does not look at the mirror would migrate',
  )
  stage.verify()
})
