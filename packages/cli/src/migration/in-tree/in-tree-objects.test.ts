import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient, type DiscoveredResource } from '@strata/client'
import { deadline, type HttpResponse, TransportError, utf8 } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { decideInTreeApi, type InTreeApi } from './in-tree-api.ts'
import { InTreeObjects } from './in-tree-objects.ts'

const group = 'storagemigration.k8s.io'
const resource = { group: 'light.example.dev', resource: 'lamps', versionName: 'v1', verbs: [] }
const migrations = { group, resource: 'storageversionmigrations', versionName: 'v1beta1', verbs: [] }
const api = decideInTreeApi({ resources: [migrations as never], failures: [] }) as InTreeApi

const answer = (status: number, body: object): HttpResponse => ({
  ...{ status, headers: {}, body: utf8.encode(JSON.stringify(body)) },
})

type Post = 'done' | 'done, and cut' | 'cut' | 'never answered' | 'cut, and the server is gone' | number

/** Creates a migration, of a server that deals with the request like this. */
async function create(post: Post) {
  const simulation = new Simulation('in-tree')
  const world = simulation.process('cli')
  const items: object[] = []
  const client = createClient({
    transport: async ({ method, body = new Uint8Array(), signal }) => {
      if (method === 'GET') {
        if (post === 'cut, and the server is gone') throw new TransportError('refused', 'no')
        return answer(200, { metadata: {}, items })
      }
      if (typeof post === 'number')
        return answer(post, { kind: 'Status', apiVersion: 'v1', code: post, message: 'no' })
      const sent = JSON.parse(utf8.decode(body))
      if (post.startsWith('done')) items.push(sent)
      if (post === 'never answered')
        return new Promise((_, reject) =>
          signal?.addEventListener('abort', () => reject(signal.reason), { once: true }),
        )
      if (post !== 'done') throw new TransportError('reset', 'unknown')
      return answer(201, sent)
    },
  })
  const objects = new InTreeObjects(client, api, resource as unknown as DiscoveredResource, world.random)
  const limit = deadline(world.clock, 10_000, new AbortController().signal)
  return simulation.settle(
    objects.create(undefined, limit.signal).then(
      (created) => created.kind,
      () => 'refused',
    ),
  )
}

const rows: ReadonlyArray<[post: Post, want: 'created' | 'unknown' | 'refused']> = [
  ['done', 'created'],
  ['done, and cut', 'created'],
  // It may land a moment later, and run without this command.
  ['cut', 'unknown'],
  ['cut, and the server is gone', 'unknown'],
  ['never answered', 'unknown'],
  [500, 'unknown'],
  [403, 'refused'],
]
for (const [post, want] of rows) {
  test(`a migration for upstream's migrator is created: ${post}: ${want}`, async () =>
    assert.equal(await create(post), want))
}
