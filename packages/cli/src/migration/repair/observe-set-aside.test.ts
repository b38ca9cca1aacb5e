import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import type { Cluster } from '../resources/cluster.ts'
import { PagedList, type PageFailure } from '../resources/paged-list-for-test.ts'
import { observeSetAside } from './observe-set-aside.ts'

const things = {
  ...{ group: 'g.dev', resource: 'things', versionName: 'v1', kind: 'Thing', namespaced: true, verbs: [] },
}
const pages = ['a', 'b', 'c'].map((name) => [{ metadata: { name } }])

const cases: ReadonlyArray<
  [name: string, failures: Readonly<Record<number, readonly PageFailure[]>>, want: string, asked: string]
> = [
  ['every page answers', {}, 'none', '123'],
  ['too many requests', { 3: [429] }, 'none', '1233'],
  ['a server that restarts', { 2: [503, 500] }, 'none', '12223'],
  ['the connection is cut', { 3: ['reset'] }, 'none', '1233'],
  ['too many requests for good', { 2: new Array(90).fill(429) }, 'answered 429', `1${'2'.repeat(61)}`],
]
for (const [name, failures, want, asked] of cases) {
  test(`what is set aside, without a census: ${name}`, async () => {
    const simulation = new Simulation('set aside')
    const world = simulation.process('cli')
    const list = new PagedList(world.clock, pages, failures)
    const cluster = {
      ...{ client: list.client, dataSide: () => undefined },
      records: async () => ({ readLatest: async () => undefined }),
    } as unknown as Cluster
    const context = { world, signal: new AbortController().signal }
    const got = await simulation
      .settle(observeSetAside(cluster, things, undefined, context))
      .then(({ objects }) => (objects.length === 0 ? 'none' : 'some'))
      .catch(({ message }: Error) => message)
    assert.deepEqual([got, list.asked.join('')], [want, asked])
  })
}
