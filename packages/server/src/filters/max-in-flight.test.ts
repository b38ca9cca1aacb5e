import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HttpResponse, readAll } from '@strata/world'
import { nodeClock } from '@strata/world/node'
import { type RequestContext, YamlReader } from '../handlers/index.ts'
import { maxInFlight } from './max-in-flight.ts'

const signal = new AbortController().signal
const context = (verb: string, groups: readonly string[] = []): RequestContext => ({
  request: { method: 'GET', target: '/', headers: {}, signal },
  signal,
  info: { path: '/', query: new URLSearchParams(), verb, target: undefined },
  user: { name: 'u', groups },
  resource: undefined,
  auditId: 'id',
  warnings: [],
  yaml: new YamlReader(nodeClock),
})
const ok: HttpResponse = { status: 200, headers: {}, body: new Uint8Array() }

test('max in flight: a request beyond the limit gets 429, and succeeds later', async () => {
  const { filter, inFlight } = maxInFlight({ readOnly: 1, mutating: 1 })
  const held = Promise.withResolvers<HttpResponse>()
  const first = filter(context('get'), () => held.promise)
  const refused = await filter(context('list'), async () => ok)
  assert.equal(refused.status, 429)
  assert.equal(refused.headers['retry-after'], '1')
  assert.equal(
    Buffer.from(await readAll(refused.body)).toString(),
    'Too many requests, please try again later.\n',
  )
  assert.deepEqual(inFlight, { readOnly: 1, mutating: 0 })
  // Writes are counted apart; watches and administrators are not turned away.
  assert.equal((await filter(context('create'), async () => ok)).status, 200)
  assert.equal((await filter(context('watch'), async () => ok)).status, 200)
  assert.equal((await filter(context('get', ['system:masters']), async () => ok)).status, 200)
  // A backend has a limit of its own, so that a slow one does not fill this one.
  const elsewhere = {
    ...{ group: 'a.dev', versionName: 'v1', groupPriority: 1, versionPriority: 1, isRemote: true },
  }
  assert.equal((await filter({ ...context('get'), elsewhere }, async () => ok)).status, 200)
  held.resolve(ok)
  await first
  assert.equal((await filter(context('get'), async () => ok)).status, 200)
  assert.deepEqual(inFlight, { readOnly: 0, mutating: 0 })
})

test('max in flight: what fails is no longer under way, what streams is until it ends', async () => {
  const { filter, inFlight } = maxInFlight({ readOnly: 1, mutating: 1 })
  await assert.rejects(filter(context('get'), () => Promise.reject(new Error('x'))))
  assert.equal(inFlight.readOnly, 0)
  async function* body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('a')
    yield Buffer.from('b')
  }
  const streamed = await filter(context('list'), async () => ({ ...ok, body: body() }))
  assert.equal(inFlight.readOnly, 1)
  assert.equal(Buffer.from(await readAll(streamed.body)).toString(), 'ab')
  assert.equal(inFlight.readOnly, 0)
})
