import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ApiObject, groupResourceText } from '@strata/api'
import { Simulation } from '@strata/world/sim'
import type { CliContext } from '../../context.ts'
import { crdForTest } from '../../crd/plan/crd-for-test.ts'
import type { MigrationView } from '../report/progress-view.ts'
import type { Cluster } from '../resources/cluster.ts'
import { PagedList, type PageFailure } from '../resources/paged-list-for-test.ts'
import { droppedOwnershipText, observeDroppedOwnership } from './dropped-ownership.ts'
import { type MigrateOptions, MigrationJob } from './migration-job.ts'

const crd = crdForTest({ versions: 'v1*' })
const { group, names } = crd.spec
const resource = {
  ...{ group, resource: names.plural, versionName: 'v1', kind: names.kind, namespaced: true, verbs: [] },
}
const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${groupResourceText(resource)}`
const lamp = (name: string, version: string): ApiObject => ({
  metadata: { name, managedFields: [{ manager: 'kubectl', apiVersion: `${group}/${version}` }] },
})
const pages = [[lamp('a', 'v1')], [lamp('b', 'v1beta1')], [lamp('c', 'v1beta1')]]
const two = { objects: 2, versions: ['v1beta1'] }

const cases: ReadonlyArray<
  [name: string, failures: Readonly<Record<number, readonly PageFailure[]>>, want: object | undefined]
> = [
  ['every page answers', {}, two],
  ['too many requests', { 3: [429, 429] }, two],
  ['a server that restarts, and a connection that is cut', { 1: [503], 2: ['reset'] }, two],
  ['the list expires', { 2: ['expired with a token'] }, two],
  ['the list expires, and there is no token', { 2: [410] }, { notCounted: /answered 410/ }],
  ['too many requests for good', { 3: new Array(90).fill(429) }, { notCounted: /answered 429/ }],
  ['no connection for good', { 2: new Array(90).fill('reset') }, { notCounted: /reset/ }],
  ['the migration itself says which right is missing', { 1: [403] }, undefined],
]
for (const [name, failures, want] of cases) {
  test(`ownership that is dropped: ${name}`, async () => {
    const simulation = new Simulation('dropped')
    const world = simulation.process('cli')
    const { client } = new PagedList(world.clock, pages, failures, { objects: { [path]: crd } })
    const view = { wait: () => {}, waits: () => false } as unknown as MigrationView
    const context = { world, signal: new AbortController().signal, environment: {} }
    const job = new MigrationJob(
      ...([{ client, isStrata: false } as unknown as Cluster, resource] as const),
      ...([{ pageSize: 1 } as MigrateOptions, view, context as unknown as CliContext] as const),
    )
    const got = await simulation.settle(observeDroppedOwnership(job))
    if (want === undefined || !('notCounted' in want)) return assert.deepEqual(got, want)
    assert.ok(got !== undefined && 'notCounted' in got)
    assert.match(got.notCounted, want.notCounted as RegExp)
    assert.match(
      droppedOwnershipText('lamps.light.example.dev', got, ' --context b'),
      /could not be counted: .* strata clean-managed-fields lamps\.light\.example\.dev --dry-run --context b$/,
    )
  })
}
