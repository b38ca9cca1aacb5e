import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configMaps } from '@strata/api'
import type { HttpRequest, HttpResponse } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { createSessionClient } from './session-client.ts'

const { signal } = new AbortController()
const reference = { namespace: 'default', name: 'one' }

const cases: ReadonlyArray<[name: string, isLong: boolean, want: string]> = [
  ['what an object is told', false, 'no answer within 20 s'],
  ['what reads every object', true, 'no answer within 120 s'],
]
for (const [name, isLong, want] of cases)
  test(`session: a server that freezes with the request open holds up no button for ever: ${name}`, async () => {
    const simulation = new Simulation('frozen')
    const { clock } = simulation.process('page')
    const transport = ({ signal: given }: HttpRequest): Promise<HttpResponse> =>
      new Promise((_, reject) => given.addEventListener('abort', () => reject(given.reason), { once: true }))
    const maps = createSessionClient({ transport, clock, token: 't' }).resource(configMaps, 'v1')
    let problem = 'none'
    maps.create({ metadata: reference }, signal, { isLong }).catch((error: Error) => {
      problem = error.message
    })
    await simulation.run({ untilMs: simulation.nowMs + 200_000 })
    assert.equal(problem, want)
  })
