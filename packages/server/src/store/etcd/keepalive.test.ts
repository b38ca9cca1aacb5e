import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Clock } from '@strata/world'
import { Keepalive } from './keepalive.ts'

const timing = { silenceMs: 2_000, pingGapMs: 5_500, answerMs: 1_500 }

/** Runs due timers as the time is moved by hand. */
function manualClock(): Clock & { advance(toMs: number): void } {
  let now = 0
  const due: { atMs: number; callback: () => void }[] = []
  return {
    wallMs: () => now,
    monotonicMs: () => now,
    soon: (callback) => callback(),
    after(delayMs, callback) {
      const timer = { atMs: now + delayMs, callback }
      due.push(timer)
      return () => {
        const at = due.indexOf(timer)
        if (at >= 0) due.splice(at, 1)
      }
    },
    advance(toMs) {
      for (;;) {
        const next = due.toSorted((a, b) => a.atMs - b.atMs)[0]
        if (!next || next.atMs > toMs) break
        due.splice(due.indexOf(next), 1)
        now = next.atMs
        next.callback()
      }
      now = toMs
    },
  }
}

function peer({ answers }: { answers: boolean }) {
  const clock = manualClock()
  const pings: number[] = []
  const deaths: number[] = []
  const keepalive = new Keepalive(
    clock,
    timing,
    (answered) => {
      pings.push(clock.monotonicMs())
      if (answers) answered()
    },
    () => deaths.push(clock.monotonicMs()),
  )
  return { clock, keepalive, pings, deaths }
}

test('keepalive: a peer that owes an answer and does not answer a ping is dead', () => {
  const { clock, keepalive, pings, deaths } = peer({ answers: false })
  keepalive.streamOpened()
  clock.advance(60_000)
  assert.deepEqual([pings, deaths], [[2_000], [3_500]])
})

test('keepalive: a peer that keeps talking is not asked', () => {
  const { clock, keepalive, pings, deaths } = peer({ answers: false })
  keepalive.streamOpened()
  for (let ms = 500; ms < 20_000; ms += 500) {
    clock.advance(ms)
    keepalive.heard()
  }
  assert.deepEqual([pings, deaths], [[], []])
})

test('keepalive: a silent peer that answers lives, and is not asked more often than etcd allows', () => {
  const { clock, keepalive, pings, deaths } = peer({ answers: true })
  keepalive.streamOpened()
  clock.advance(60_000)
  assert.deepEqual(deaths, [])
  assert.ok(pings.length >= 7, `${pings}`)
  for (const [index, ms] of pings.entries()) {
    assert.ok(index === 0 || ms - (pings[index - 1] ?? 0) >= timing.pingGapMs, `${pings}`)
  }
})

test('keepalive: a peer that owes nothing is left alone', () => {
  const { clock, keepalive, pings, deaths } = peer({ answers: false })
  keepalive.streamOpened()
  keepalive.streamClosed()
  clock.advance(60_000)
  assert.deepEqual([pings, deaths], [[], []])
  keepalive.streamOpened()
  clock.advance(70_000)
  assert.equal(deaths.length, 1)
})

test('keepalive: bytes count as an answer to a ping', () => {
  const { clock, keepalive, deaths } = peer({ answers: false })
  keepalive.streamOpened()
  clock.advance(2_100)
  keepalive.heard()
  clock.advance(4_000)
  assert.deepEqual(deaths, [])
})

test('keepalive: stopped means stopped', () => {
  const { clock, keepalive, deaths } = peer({ answers: false })
  keepalive.streamOpened()
  clock.advance(2_100)
  keepalive.stop()
  clock.advance(60_000)
  assert.deepEqual(deaths, [])
})
