import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiObject } from '@strata/api'
import { Simulation } from '@strata/world/sim'
import { PagedList, type PageFailure } from '../../migration/resources/paged-list-for-test.ts'
import { crdForTest } from '../plan/crd-for-test.ts'
import { compareIn } from './look-at-crd.ts'
import { LossGroups } from './loss-groups.ts'
import type { SavedObjects } from './saved-objects.ts'
import type { UpgradeSession } from './upgrade-options.ts'

const schemaOf = (...fields: readonly string[]) => ({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: Object.fromEntries(fields.map((each) => [each, { type: 'string' }])),
    },
  },
})
const live = crdForTest({ versions: 'v1*', schema: schemaOf('color', 'watts') })
const stages = [crdForTest({ versions: 'v1 v2*', schema: schemaOf('color') })]
const names = ['a', 'b', 'c', 'd', 'e', 'f']
const lamp = (name: string): ApiObject & { spec: object } => ({
  ...{ metadata: { name, namespace: 'default', uid: name, resourceVersion: '7' } },
  spec: { color: 'red', watts: '5' },
})
const pages = [0, 2, 4].map((from) => names.slice(from, from + 2).map(lamp))

const cases: ReadonlyArray<[name: string, failures: Readonly<Record<number, readonly PageFailure[]>>]> = [
  ['every page answers', {}],
  ['too many requests, long after the first page', { 3: [429] }],
  ['the connection is cut, long after the first page', { 3: ['reset'] }],
  ['a server that restarts', { 1: [503], 2: [502, 503, 503] }],
  ['the list expires', { 2: ['expired with a token'] }],
]
for (const [name, failures] of cases) {
  test(`compared with what would be stored, each object once: ${name}`, async () => {
    const simulation = new Simulation('compare')
    const world = simulation.process('cli')
    const { client } = new PagedList(world.clock, pages, failures, { pageMs: 10_000 })
    const session = {
      ...{ cluster: { client }, options: { dryRun: false } },
      context: { world, signal: new AbortController().signal },
    } as unknown as UpgradeSession
    const groups = new LossGroups('lamps.light.example.dev', ['spec.watts'])
    const seen: string[] = []
    const saved: string[] = []
    const keep = { save: (object: ApiObject) => saved.push(object.metadata.name ?? '') }
    const count = await simulation.settle(
      compareIn(session, live, stages, 'v1', groups, keep as unknown as SavedObjects, ({ metadata }) => {
        seen.push(metadata.name ?? '')
      }),
    )
    assert.deepEqual({ count, seen, saved }, { count: names.length, seen: names, saved: names })
    assert.deepEqual(
      groups.all.map(({ path, objects }) => `${path} ${objects}`),
      [`spec.watts ${names.length}`],
    )
  })
}
