import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agreementPrefix, leasePrefix } from './keys.ts'
import { Stage } from './stage.ts'
import type { StoreTap } from './world/fleet.ts'
import { partsOf } from './world/shape.ts'

const v1 = 'lighthouse.example.dev/v1'
const v2 = 'lighthouse.example.dev/v2'
/** Many times as long as a Lease lasts. */
const awayMs = 120_000

interface Case {
  readonly form: 'report' | 'vote'
  readonly releases: readonly [string, string, string]
  /** The servers that lose the store. They are expelled, if a server is left to notice it. */
  readonly lost: readonly string[]
  readonly agreed: string | undefined
  /** While it is away, and afterwards; undefined if the servers do not agree. */
  readonly meanwhile: string | undefined
}

const upgraded = ['x+2', 'x+2', 'x+2'] as const
const halfWay = ['x+2', 'x+1', 'x+1'] as const
const everyone = ['a', 'b', 'c']
const cases: readonly Case[] = [
  { form: 'report', releases: upgraded, lost: everyone, agreed: v2, meanwhile: v2 },
  { form: 'report', releases: upgraded, lost: ['b'], agreed: v2, meanwhile: v2 },
  { form: 'report', releases: halfWay, lost: everyone, agreed: undefined, meanwhile: undefined },
  // All that are left write v1.
  { form: 'report', releases: halfWay, lost: ['a'], agreed: undefined, meanwhile: v1 },
  { form: 'vote', releases: upgraded, lost: everyone, agreed: v2, meanwhile: v2 },
  { form: 'vote', releases: halfWay, lost: everyone, agreed: v1, meanwhile: v1 },
  { form: 'vote', releases: halfWay, lost: ['a'], agreed: v1, meanwhile: v1 },
]

for (const { form, releases, lost, agreed, meanwhile } of cases) {
  const title = `${form}: ${lost.join(', ')} of ${releases.join(', ')} lose the store, and what is agreed does not flip back`
  test(`store away (${title})`, async () => {
    const stage = new Stage(title, {
      instances: everyone,
      parts: partsOf[form],
      clients: 1,
      clientRestMs: 3_000,
    })
    const { fleet, history, disturbances, simulation } = stage.world
    // In the vote form two of the old release select what was written before.
    for (const name of ['b', 'c', 'a']) await stage.start(name, 'x+1')
    for (const [index, name] of everyone.entries()) {
      const release = releases[index] ?? ''
      const member = fleet.member(name)
      if (!member || release === member.release) continue
      fleet.stop(member)
      await stage.until(`${name} has left`, () => member.process.crashed)
      await stage.start(name, release)
    }
    await stage.pass(10_000)
    assert.equal(stage.record.status.agreedVersion, agreed)
    const { epoch } = stage.record.status

    const members = lost.flatMap((name) => fleet.member(name) ?? [])
    for (const { process } of members) disturbances.cutOff(process)
    const fromMs = simulation.nowMs
    await stage.pass(awayMs)
    assert.equal(stage.record.status.agreedVersion, meanwhile)
    for (const { process } of members) disturbances.reconnect(process)
    await stage.pass(30_000)
    assert.equal(stage.record.status.agreedVersion, agreed)
    assert.equal(stage.record.status.servers.length, 3)

    const isEveryone = lost.length === 3
    if (isEveryone) assert.equal(stage.record.status.epoch, epoch)
    const expelled = history.commits
      .filter(({ atMs }) => atMs > fromMs)
      .flatMap(({ changes }) => changes)
      .filter(({ kind, key }) => kind === 'delete' && key.startsWith(leasePrefix))
    assert.equal(expelled.length, isEveryone ? 0 : 1)
    // Someone has looked all the time; who has no store says nothing rather than something old.
    const looks = history.observations.filter(({ startMs }) => startMs > fromMs)
    assert.ok(looks.length > 20, `${looks.length} looks`)
    assert.ok(looks.some(({ end }) => end !== undefined))
    stage.verify()
  })
}

test('store away: a voter that has not stored its entry yet shows in discovery what is selected, not what it prefers', async () => {
  // What it wants to say in the records is lost on the way.
  const tap: StoreTap = {
    wrap: (_, store) => store,
    hooks: ({ name }) => ({
      beforeCommit: async ({ writes }) => {
        if (name === 'c' && writes.some(({ key }) => key.startsWith(agreementPrefix)))
          await new Promise(() => {})
      },
    }),
  }
  const stage = new Stage('starting voter', { instances: everyone, parts: partsOf.vote }, { tap })
  const hashThrough = async (name: string): Promise<string> => {
    const { body } = await stage.ask(name, { method: 'GET', target: '/apis/lighthouse.example.dev/v1' })
    return body.resources.find((each: { name: string }) => each.name === 'beacons').storageVersionHash
  }
  await stage.start('a', 'x+2')
  await stage.start('b', 'x+2')
  stage.world.fleet.start('c', 'c', 'x+1')
  await stage.pass(3_000)
  assert.equal(stage.record.status.selectedVersion, v2)
  assert.equal(stage.record.status.servers.length, 2)
  assert.equal(await hashThrough('c'), await hashThrough('a'))
})
