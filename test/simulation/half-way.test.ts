import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leasePrefix } from './keys.ts'
import { Stage } from './stage.ts'
import { partsOf } from './world/shape.ts'

const v1 = 'lighthouse.example.dev/v1'
const v2 = 'lighthouse.example.dev/v2'
const hourMs = 3_600_000

/** What stands in the record while one of three servers has the next release, and how it is called. */
const forms = [
  { form: 'report', agreed: undefined, selected: undefined },
  { form: 'vote', agreed: v1, selected: v1 },
  { form: 'loose', agreed: v1, selected: v1 },
] as const

for (const { form, agreed, selected } of forms) {
  test(`half-way (${form}): an upgrade that is left for an hour blocks no write, and ends as if it had not been`, async () => {
    const stage = new Stage(`half-way ${form}`, {
      ...{ instances: ['a', 'b', 'c'], parts: partsOf[form], clients: 2, clientRestMs: 15_000 },
      ...{ leaseDurationSeconds: 3_600, renewIntervalSeconds: 10, definitions: true, definer: false },
    })
    const { fleet, history, simulation } = stage.world
    // One of the controllers is enough here, because nothing crashes it.
    stage.world.others()[1]?.crash()
    for (const name of ['a', 'b', 'c']) await stage.start(name, 'x+1')
    const upgrade = async (name: string): Promise<void> => {
      const member = fleet.member(name)
      assert.ok(member)
      fleet.stop(member)
      await stage.until(`${name} has left`, () => member.process.crashed)
      await stage.start(name, 'x+2')
    }
    await upgrade('a')
    await stage.pass(2_000)
    const { epoch } = stage.record.status
    const before = { commits: history.commits.length, operations: history.operations.length }

    await stage.pass(hourMs)
    const { status } = stage.record
    assert.deepEqual([status.agreedVersion, status.selectedVersion, status.epoch], [agreed, selected, epoch])
    const written = history.operations.slice(before.operations).filter(({ end }) => end)
    assert.ok(written.length > 300, `${written.length} operations`)
    const refused = written.filter(({ end }) => end && (end.status === 0 || end.status >= 429))
    assert.deepEqual(
      refused.map(({ kind, key, end }) => `${kind} ${key}: ${end?.status} ${end?.reason}`),
      [],
    )
    // Rule 9: an hour in which nothing changes is an hour in which nothing is said, and every Lease is renewed.
    const keys = history.commits.slice(before.commits).flatMap(({ changes }) => changes.map(({ key }) => key))
    assert.deepEqual(
      keys.filter((key) => key.includes('storageagreements') || key.includes('storageversions')),
      [],
    )
    const renewals = Map.groupBy(
      keys.filter((key) => key.startsWith(`${leasePrefix}apiserver-`)),
      (key) => key,
    )
    assert.equal(renewals.size, 3)
    for (const [key, all] of renewals) assert.ok(all.length > 300, `${key}: ${all.length} renewals`)

    await upgrade('b')
    await upgrade('c')
    const doneMs = simulation.nowMs
    await stage.until('all agree', () => stage.record.status.agreedVersion === v2, 60_000)
    assert.ok(simulation.nowMs - doneMs < 2_000)
    stage.verify()
  })
}
