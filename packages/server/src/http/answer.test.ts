import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog, type World } from '@strata/world'
import { nodeClock } from '@strata/world/node'
import { Simulation } from '@strata/world/sim'
import { YamlReader } from '../handlers/index.ts'
import { answerErrors } from './answer.ts'

function create(): { world: World; errors: string[] } {
  const errors: string[] = []
  const { clock, random, processes } = new Simulation('answers').process('server')
  const log = createLog((level, message) => {
    if (level === 'error') errors.push(message)
  })
  return { world: { clock, random, processes, log }, errors }
}

const context = (signal: AbortSignal) => ({
  request: { method: 'GET', target: '/api', headers: {}, signal },
  signal,
  info: { path: '/api', query: new URLSearchParams(), verb: 'get', target: undefined },
  user: undefined,
  resource: undefined,
  auditId: 'id',
  warnings: [],
  yaml: new YamlReader(nodeClock),
})

test('answers: a client that goes away while its request waits is not a bug of ours', async () => {
  const { world, errors } = create()
  const client = new AbortController()
  client.abort(new Error('connection closed'))
  const answer = await answerErrors(() => Promise.reject(client.signal.reason), world)(context(client.signal))
  assert.equal(answer.status, 504)
  assert.deepEqual(errors, [])
})

test('answers: a bug is one, whether or not the client is still there', async () => {
  const { world, errors } = create()
  const client = new AbortController()
  client.abort(new Error('connection closed'))
  const answer = await answerErrors(() => Promise.reject(new TypeError('x')), world)(context(client.signal))
  assert.equal(answer.status, 500)
  assert.equal(errors.length, 1)
})
