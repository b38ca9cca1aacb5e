import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HttpResponse, TransportError } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { createReachability } from './reachability.ts'

type Answer = number | 'fails'
const cases: readonly [name: string, answers: readonly Answer[], because: string | undefined][] = [
  ['who answers is seen', [200], undefined],
  ['a refusal is an answer', [403], undefined],
  ['nobody answers', ['fails', 'fails'], 'connection refused'],
  ['a server that is shutting down says nothing of the fleet', [503], 'the server answered 503'],
  ['another one answers', ['fails', 200], undefined],
  ['the first reason is kept, for it is the oldest', [503, 'fails'], 'the server answered 503'],
]
for (const [name, answers, because] of cases) {
  test(`reachability: ${name}`, async () => {
    const simulation = new Simulation('reachability')
    const { clock } = simulation.process('client')
    const sight = createReachability(clock)
    const queue = [...answers]
    const send = sight.wrap(async (): Promise<HttpResponse> => {
      const answer = queue.shift() ?? 200
      if (answer === 'fails') throw new TransportError('connection refused', 'no')
      return { status: answer, headers: {}, body: new Uint8Array() }
    })
    const { signal } = new AbortController()
    for (const _ of answers) await send({ method: 'GET', target: '/', headers: {}, signal }).catch(() => {})
    assert.equal(sight.unseen(), undefined, 'not at once: another server may answer')
    await simulation.run({ untilMs: 3_000 })
    assert.equal(sight.unseen()?.because, because)
  })
}
