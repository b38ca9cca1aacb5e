import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import { FakeMigrations, never, target } from './records/fake-migrations-for-test.ts'
import type { Requested } from './records/record.ts'

const name = 'strata-migrate-things.g.dev'
const pause = { 'strata.dev/paused': 'true' }

/** Why a command that has a migration lets it go. */
const stops = [
  'stopped',
  'paused by a user, and has seen that',
  'paused by a user, and has not seen that',
] as const
/** Before which write of one of the two the other does all that it has to do. */
const moments = [
  ['first', 0],
  ['first', 1],
  ['first', Number.POSITIVE_INFINITY],
  ['second', 0],
] as const

for (const stop of stops) {
  for (const [who, at] of moments) {
    const when = at === Number.POSITIVE_INFINITY ? 'after it' : `before write ${at} of the ${who}`
    test(`--no-wait beside a command that is ${stop}, ${when}: what is left to the controllers is not paused`, async () => {
      const simulation = new Simulation(`${stop}, ${when}`)
      const migrations = new FakeMigrations()
      const first = migrations.recordsOf(simulation.process('first', { host: 'desk' }))
      const second = migrations.recordsOf(simulation.process('second', { host: 'desk' }))
      const held = await first.claim(undefined, target, never)
      assert.ok(held)
      if (stop !== 'stopped') migrations.annotate(name, pause)
      if (stop === 'paused by a user, and has seen that') assert.equal(await held.renew(never), 'paused')
      let requested: Requested | undefined
      const letGo = () => held.release({}, undefined, never)
      const request = async () => {
        requested = await second.request(never)
      }
      const [act, other] = who === 'first' ? [letGo, request] : [request, letGo]
      let writes = 0
      let isDone = false
      migrations.before = async (_, by) => {
        if (isDone || by !== who || writes++ !== at) return
        isDone = true
        await other()
      }
      await act()
      // Also where there was no such write.
      if (!isDone) await other()
      assert.ok(requested)
      const [isClaimed, paused] = migrations.seen(name)
      assert.equal(isClaimed, false)
      if (requested.heldBy === undefined) assert.equal(paused, undefined)
      // A process that saw the user's pause does not set a second one.
      if (stop === 'paused by a user, and has seen that') assert.equal(paused, undefined)
      assert.equal(migrations.names.length, 1)
    })
  }
}

test('--no-wait: what was cancelled is not what is left to the controllers', async () => {
  const simulation = new Simulation('cancelled')
  const migrations = new FakeMigrations()
  migrations.ask('asked', { 'strata.dev/cancel': 'true' })
  const { where } = (await migrations.recordsOf(simulation.process('p')).request(never)) ?? { where: '' }
  assert.match(where, /\/strata-migrate-things\.g\.dev$/)
  assert.deepEqual(migrations.seen('asked'), [false, undefined, 'aborted'])
})
