import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAll, utf8 } from '@strata/world'
import { answerControl, scenePath, signInLinkPath } from './answer-control.ts'
import { answerPlayground } from './answer-playground.ts'
import type { Playground } from './create-playground.ts'

const playground: Playground = {
  state: { servers: [], releases: [], roll: null, load: null, scenes: [], resources: [] },
  watch: async function* () {},
  events: () => [],
  watchEvents: async function* () {},
  act: async () => {},
}
const tellScene = (): void => {}
const request = {
  method: 'POST',
  target: signInLinkPath,
  body: undefined,
  signal: new AbortController().signal,
}
const read = async ({ status, body }: Awaited<ReturnType<typeof answerControl>>) => ({
  status,
  body: JSON.parse(utf8.decode(await readAll(body))),
})

test('control: a link to the dashboard, a new one each time', async () => {
  let made = 0
  const control = { playground, tellScene, createLink: () => `http://127.0.0.1/dashboard/#code=${++made}` }
  for (const number of [1, 2]) {
    const { status, body } = await read(await answerControl(control, request))
    assert.deepEqual([status, body], [200, { link: `http://127.0.0.1/dashboard/#code=${number}` }])
  }
  assert.equal((await answerControl(control, { ...request, method: 'GET' })).status, 405)
  assert.equal(made, 2)
})

test('control: a fleet without a dashboard says what to do instead', async () => {
  const { status, body } = await read(
    await answerControl({ playground, tellScene, createLink: undefined }, request),
  )
  assert.equal(status, 404)
  assert.match(body.message, /started with --no-dashboard. "strata dashboard" serves one/)
})

test('control: the dashboard itself gets no link', async () => {
  assert.equal((await answerPlayground(playground, request)).status, 404)
})

test('control: everything else is the playground', async () => {
  const target = '/playground/v1/fleet'
  const asked = { ...request, method: 'GET', target }
  const { status } = await answerControl({ playground, tellScene, createLink: undefined }, asked)
  assert.equal(status, 200)
})

test('control: a scene is told, and only told', async () => {
  const told: unknown[] = []
  const control = { playground, createLink: undefined, tellScene: (view: unknown) => told.push(view) }
  const body = utf8.encode('{"name":"fence"}')
  assert.equal(
    (await answerControl(control, { ...request, method: 'PUT', target: scenePath, body })).status,
    200,
  )
  assert.equal((await answerControl(control, { ...request, target: scenePath, body })).status, 405)
  assert.deepEqual(told, [{ name: 'fence' }])
})
