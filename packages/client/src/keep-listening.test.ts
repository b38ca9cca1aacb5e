import assert from 'node:assert/strict'
import { test } from 'node:test'
import { abortable, TransportError } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { keepListening } from './keep-listening.ts'

type Server = 'answers' | 'refuses' | 'is frozen'
const cases: readonly [name: string, servers: (atMs: number) => Server, rounds: readonly number[]][] = [
  ['a server that answers is listened to', () => 'answers', [0]],
  ['one that is gone ends the connection, which says enough', () => 'refuses', [0]],
  ['a frozen one is left after five seconds, and again', () => 'is frozen', [0, 5_000, 10_000]],
  [
    'one that freezes is left five seconds after it was asked next',
    (atMs) => (atMs >= 3_500 && atMs < 9_000 ? 'is frozen' : 'answers'),
    [0, 9_000],
  ],
]
for (const [name, server, want] of cases) {
  test(`listening: ${name}`, async () => {
    const simulation = new Simulation(name)
    const { clock } = simulation.process('client')
    const stop = new AbortController()
    const begun: number[] = []
    let open = 0
    const listening = keepListening(
      {
        clock,
        listen: async (signal) => {
          begun.push(Math.round(simulation.nowMs))
          open++
          await abortable(new Promise(() => {}), signal).catch(() => {})
          open--
        },
        ask: (signal) => {
          const is = server(simulation.nowMs)
          if (is === 'refuses') throw new TransportError('connection refused', 'no')
          return is === 'answers' ? Promise.resolve() : abortable(new Promise(() => {}), signal)
        },
      },
      stop.signal,
    )
    await simulation.run({ untilMs: 12_000 })
    assert.deepEqual(begun, want)
    assert.equal(open, 1, 'one after the other')
    stop.abort(new Error('enough'))
    await simulation.settle(listening)
    assert.equal(open, 0)
  })
}

test('listening: a bug in it is thrown', async () => {
  const simulation = new Simulation('bug')
  const { clock } = simulation.process('client')
  const broken = async (): Promise<void> => {
    throw new Error('a bug')
  }
  const options = { clock, listen: broken, ask: () => Promise.resolve() }
  await assert.rejects(simulation.settle(keepListening(options, new AbortController().signal)), /a bug/)
})
