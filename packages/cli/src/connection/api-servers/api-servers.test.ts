import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@strata/client'
import { type Transport, utf8 } from '@strata/world'
import { nodeClock } from '@strata/world/node'
import { ApiServerFinder } from './api-servers.ts'

const answer = (body: object): Awaited<ReturnType<Transport>> => ({
  ...{ status: 200, headers: { 'content-type': 'application/json' } },
  body: (async function* () {
    yield utf8.encode(JSON.stringify(body))
  })(),
})
const slices = {
  metadata: {},
  items: [{ endpoints: [{ addresses: ['10.0.0.1'] }], ports: [{ name: 'https', port: 6443 }] }],
}
const cluster = createClient({
  transport: async ({ target }) =>
    answer(target.includes('endpointslices') ? slices : { metadata: {}, items: [] }),
})

test('API servers: a look that one migration gives up tells the others nothing about the servers', async () => {
  const asked = Promise.withResolvers<void>()
  let requests = 0
  const hangsOnce: Transport = ({ signal }) => {
    if (++requests > 1) return Promise.resolve(answer({ gitVersion: 'v1.36.4' }))
    asked.resolve()
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  }
  const finder = new ApiServerFinder({
    ...{ client: cluster, context: { world: { clock: nodeClock } } as never },
    known: { kind: 'samples', servers: [] },
    reach: () => ({ client: createClient({ transport: hangsOnce }), close: () => {} }),
  })
  const hasty = new AbortController()
  const first = finder.find(hasty.signal)
  const second = finder.find(new AbortController().signal)
  await asked.promise
  hasty.abort()
  await assert.rejects(first)
  const { kind, servers, unasked } = await second
  assert.deepEqual(
    [kind, servers.map(({ name }) => name), unasked],
    ['endpoints', ['https://10.0.0.1:6443'], []],
  )
  finder.close()
})
