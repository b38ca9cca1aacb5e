import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@strata/api'
import { readAll, utf8 } from '@strata/world'
import type { FleetEvent } from '../state/fleet-events.ts'
import type { FleetState } from '../state/fleet-state.ts'
import { answerPlayground } from './answer-playground.ts'
import type { Playground } from './create-playground.ts'

const state: FleetState = { servers: [], releases: ['x'], roll: null, load: null, scenes: [], resources: [] }
const events: readonly FleetEvent[] = [1, 2].map((number) => ({
  ...{ number, time: '1970-01-01T00:00:00.000Z', kind: 'ready', message: `event ${number}` },
}))
const acted: unknown[] = []
const playground: Playground = {
  state,
  watch: async function* () {
    yield state
    yield { ...state, releases: ['x', 'x+1'] }
  },
  events: (after) => events.filter(({ number }) => number > after),
  watchEvents: async function* (after) {
    yield* events.filter(({ number }) => number > after)
  },
  act: async (body) => {
    acted.push(body)
    if ((body as { action?: string }).action === 'bad') throw new ApiError(409, 'Conflict', 'not now')
    return (body as { action?: string }).action === 'switch-storage-version' ? 'v1 → v2' : undefined
  },
}

async function ask(method: string, target: string, text?: string) {
  const signal = new AbortController().signal
  const body = text === undefined ? undefined : utf8.encode(text)
  const answer = await answerPlayground(playground, { method, target, body, signal })
  return { status: answer.status, headers: answer.headers, text: utf8.decode(await readAll(answer.body)) }
}

test('playground: the state, once or a line for each change', async () => {
  const once = await ask('GET', '/playground/v1/fleet')
  assert.deepEqual([once.status, JSON.parse(once.text)], [200, state])
  const watched = await ask('GET', '/playground/v1/fleet?watch=1')
  assert.equal(watched.headers['content-type'], 'application/x-ndjson')
  assert.deepEqual(
    watched.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).releases),
    [['x'], ['x', 'x+1']],
  )
})

test('playground: the events, all or those after one, or a line for each', async () => {
  const all = await ask('GET', '/playground/v1/events')
  assert.deepEqual(JSON.parse(all.text), { events })
  const watched = await ask('GET', '/playground/v1/events?watch=1&after=1')
  assert.equal(watched.text, `${JSON.stringify(events[1])}\n`)
})

test('playground: an action is accepted, or refused with a Status', async () => {
  const taken = await ask('POST', '/playground/v1/actions', '{"action":"pause"}')
  assert.deepEqual([taken.status, taken.text], [202, '{}\n'])
  assert.deepEqual(acted, [{ action: 'pause' }])
  const told = await ask('POST', '/playground/v1/actions', '{"action":"switch-storage-version"}')
  assert.deepEqual([told.status, told.text], [202, '{"message":"v1 → v2"}\n'])
  const refused = await ask('POST', '/playground/v1/actions', '{"action":"bad"}')
  const { kind, reason, message } = JSON.parse(refused.text)
  assert.deepEqual([refused.status, kind, reason, message], [409, 'Status', 'Conflict', 'not now'])
})

const wrong: ReadonlyArray<[method: string, target: string, body: string | undefined, status: number]> = [
  ['POST', '/playground/v1/fleet', undefined, 405],
  ['GET', '/playground/v1/actions', undefined, 405],
  ['POST', '/playground/v1/events', undefined, 405],
  ['GET', '/playground/v1/events?after=x', undefined, 400],
  ['GET', '/playground/v2/fleet', undefined, 404],
  ['POST', '/playground/v1/actions', 'roll', 400],
]
for (const [method, target, body, status] of wrong) {
  test(`playground: ${method} ${target} ${body ?? ''} is ${status}`, async () => {
    const answer = await ask(method, target, body)
    assert.deepEqual([answer.status, JSON.parse(answer.text).kind], [status, 'Status'])
  })
}
