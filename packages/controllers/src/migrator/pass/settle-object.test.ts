import assert from 'node:assert/strict'
import { test } from 'node:test'
import { objectModified } from '@strata/api'
import { Simulation } from '@strata/world/sim'
import type { Rewriter } from './rewriter.ts'
import { type SettleOptions, settleObject } from './settle-object.ts'

const things = { group: 'example.dev', resource: 'things' }
const candidate = { object: { name: 'one', resourceVersion: '1' }, way: 'patch', rereads: 0 } as const
const never = new AbortController().signal

/** Every write meets a conflict, and reads are never answered. */
function setUp() {
  const simulation = new Simulation('settle')
  let looks = 0
  const rewriter = {
    address: { ...things, version: 'v1' },
    rewrite: () => Promise.reject(objectModified(things, 'one')),
    look: (_: unknown, signal: AbortSignal) => {
      looks++
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      })
    },
  } as unknown as Rewriter
  const options: SettleOptions = {
    ...{ world: simulation.process('migrator'), rewriter, requestTimeoutMs: 30_000 },
    ...{ dryRun: false, fenced: true, currentAfter: undefined },
  }
  return { simulation, options, looks: () => looks }
}

test('settle: a look after a conflict that is not answered in time is a failure of the object, and comes first next time', async () => {
  const { simulation, options, looks } = setUp()
  const first = await simulation.settle(settleObject(options, candidate, never))
  assert.ok(first.kind === 'failed' && first.candidate.conflict !== undefined)
  assert.equal(first.candidate.unheard, undefined, 'a refusal was heard')
  const again = await simulation.settle(settleObject(options, first.candidate, never))
  assert.ok(again.kind === 'failed' && again.candidate.unheard === undefined, 'a look writes nothing')
  assert.equal(looks(), 2)
})

test('settle: what is stopped meanwhile is thrown', async () => {
  const { simulation, options } = setUp()
  const stop = new AbortController()
  const settling = assert.rejects(settleObject(options, candidate, stop.signal), /stopped/)
  await simulation.run({ untilMs: simulation.nowMs + 100 })
  stop.abort(new Error('stopped'))
  await simulation.settle(settling)
})
