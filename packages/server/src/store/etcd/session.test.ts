import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Clock } from '@strata/world'
import { RpcError } from './classify-error.ts'
import { Session } from './session.ts'

const timing = { connectMs: 2_000, silenceMs: 1_500, pingGapMs: 5_500, answerMs: 1_500 }

/** Counts the timers that are armed. */
function countingClock(): Clock & { readonly armed: () => number } {
  const timers = new Set<object>()
  return {
    wallMs: () => 0,
    monotonicMs: () => 0,
    soon: () => {},
    after: () => {
      const timer = {}
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    armed: () => timers.size,
  }
}

for (const endpoint of ['nonsense', 'ftp://127.0.0.1:1', 'http://']) {
  test(`etcd session: ${endpoint} is an endpoint that cannot be reached, and leaves no timer behind`, async () => {
    const clock = countingClock()
    const connecting = Session.connect({ endpoint, tls: undefined, clock, timing })
    await assert.rejects(connecting, (error: unknown) => {
      assert.ok(error instanceof RpcError)
      assert.ok(error.message.startsWith(`cannot connect to etcd at ${endpoint}: `), error.message)
      return true
    })
    assert.equal(clock.armed(), 0)
  })
}
