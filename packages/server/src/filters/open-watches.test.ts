import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RequestContext } from '../handlers/index.ts'
import { OpenWatches } from './open-watches.ts'

const request = (verb: string): RequestContext =>
  ({
    info: { verb, query: new URLSearchParams() },
    signal: new AbortController().signal,
  }) as unknown as RequestContext

test('open watches: when the server stops they end, and none is begun after that', async () => {
  const watches = new OpenWatches()
  let seen: AbortSignal | undefined
  async function* events(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array()
  }
  const answer = async ({ signal }: RequestContext) => {
    seen = signal
    return { status: 200, headers: {}, body: events() }
  }
  await watches.filter(request('watch'), answer)
  assert.equal(seen?.aborted, false)
  watches.endAll(new Error('the server is shutting down'))
  assert.equal(seen?.aborted, true)
  await assert.rejects(async () => watches.filter(request('watch'), answer), {
    code: 503,
    message: 'the server is shutting down',
  })
  assert.equal((await watches.filter(request('get'), answer)).status, 200, 'reads are still answered')
})

test('open watches: one that still waits to begin when the server stops is sent elsewhere', async () => {
  const watches = new OpenWatches()
  const waiting = ({ signal }: RequestContext): Promise<never> =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const asked = watches.filter(request('watch'), waiting)
  watches.endAll(new Error('the server is shutting down'))
  await assert.rejects(async () => asked, { code: 503, message: 'the server is shutting down' })
  const failing = new OpenWatches().filter(request('watch'), () => Promise.reject(new TypeError('a bug')))
  await assert.rejects(async () => failing, new TypeError('a bug'))
})
