import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DeadlineExceeded, type HttpResponse, TransportError } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { createReachability } from './reachability.ts'

type Answer = number | 'fails' | 'is frozen' | 'is not waited for'
const cases: readonly [name: string, answers: readonly Answer[], because: string | undefined][] = [
  ['who answers is seen', [200], undefined],
  ['a refusal is an answer', [403], undefined],
  ['no server answers', ['fails', 'fails'], 'connection refused'],
  ['a server that is shutting down says nothing of the fleet', [503], 'the server answered 503'],
  ['a frozen server', ['is frozen'], 'the server does not answer (not finished within 5000 ms)'],
  ['who stops looking has seen no failure', ['is not waited for'], undefined],
  ['another one answers', ['fails', 200], undefined],
  ['the first reason is kept, for it is the oldest', [503, 'fails'], 'the server answered 503'],
]
for (const [name, answers, because] of cases) {
  test(`reachability: ${name}`, async () => {
    const simulation = new Simulation('reachability')
    const { clock } = simulation.process('client')
    const sight = createReachability(clock)
    const stop = new AbortController()
    const queue = [...answers]
    const send = sight.wrap(async (): Promise<HttpResponse> => {
      const answer = queue.shift() ?? 200
      if (answer === 'is frozen') throw new DeadlineExceeded('not finished within 5000 ms')
      if (answer === 'is not waited for') {
        stop.abort(new Error('stopped'))
        throw stop.signal.reason
      }
      if (answer === 'fails') throw new TransportError('connection refused', 'no')
      return { status: answer, headers: {}, body: new Uint8Array() }
    })
    const { signal } = stop
    for (const _ of answers) await send({ method: 'GET', target: '/', headers: {}, signal }).catch(() => {})
    assert.equal(sight.unseen(), undefined, 'not at once: another server may answer')
    await simulation.run({ untilMs: 3_000 })
    assert.equal(sight.unseen()?.because, because)
  })
}
