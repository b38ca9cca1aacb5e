import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import { askEach } from '../migration/resources/each-resource.ts'
import { PagedList, type PageFailure } from '../migration/resources/paged-list-for-test.ts'
import { isTransientForPage } from '../migration/run/read-with-retries.ts'
import { ObjectTally, observeObjects } from './observe-objects.ts'

const applied = (text: string) => ({ 'kubectl.kubernetes.io/last-applied-configuration': text })
const fields = (manager: string, apiVersion: string, time?: string) => ({
  manager,
  apiVersion,
  operation: 'Update',
  ...(time ? { time } : {}),
})

test('objects: managers and applied manifests by version, each object once', () => {
  const tally = new ObjectTally('light.example.dev')
  const v1 = 'light.example.dev/v1'
  tally.add({
    metadata: {
      namespace: 'a',
      name: 'x',
      managedFields: [
        fields('kubectl', v1, '2026-01-01T00:00:00Z'),
        fields('kubectl', v1, '2026-02-01T00:00:00Z'),
      ],
    },
  })
  tally.add({
    metadata: { namespace: 'a', name: 'y', annotations: applied(`{"apiVersion":"${v1}","kind":"Lamp"}`) },
  })
  tally.add({
    metadata: {
      name: 'z',
      annotations: applied(`{"kind":"Lamp","apiVersion":"${v1}"}`),
      managedFields: [fields('kubectl', 'light.example.dev/v2')],
    },
  })
  tally.add({ metadata: { name: 'w', annotations: applied('damaged') } })
  assert.deepEqual(tally.sight(), {
    count: 4,
    managers: [
      { version: 'v1', manager: 'kubectl', count: 1, last: '2026-02-01T00:00:00Z' },
      { version: 'v2', manager: 'kubectl', count: 1, last: '' },
    ],
    lastApplied: [{ version: 'v1', count: 2, objects: ['a/y', 'z'] }],
  })
})

const lamps = ['a', 'b', 'c'].map((name) => [{ metadata: { name } }])
const lists: ReadonlyArray<
  [
    name: string,
    failures: Readonly<Record<number, readonly PageFailure[]>>,
    want: number | string,
    asked: string,
  ]
> = [
  ['every page answers', {}, 3, '123'],
  ['too many requests', { 3: [429, 429] }, 3, '12333'],
  ['a server that restarts', { 2: [503, 500] }, 3, '12223'],
  ['the connection is cut', { 2: ['reset'] }, 3, '1223'],
  ['the list expires', { 3: ['expired with a token'] }, 3, '1233'],
  ['the list expires, and there is no token', { 3: [410] }, 'answered 410', '123'],
  ['a webhook that fails for good', { 1: new Array(30).fill(500) }, 'answered 500', '1'.repeat(16)],
]
for (const [name, failures, want, asked] of lists) {
  test(`objects: counted once each: ${name}`, async () => {
    const simulation = new Simulation('objects')
    const world = simulation.process('cli')
    const list = new PagedList(world.clock, lamps, failures)
    const resource = { group: 'g.dev', versionName: 'v1', resource: 'lamps', kind: 'Lamp' }
    const resources = [{ ...resource, namespaced: true, verbs: [] }]
    const context = { world, signal: new AbortController().signal }
    const answers = askEach(resources, context, async (each, look) => {
      const page: typeof look = (ask) => look(ask, isTransientForPage(world.clock))
      return (await observeObjects(list.client, each, page)).count
    })
    const [got] = await simulation.settle(answers)
    assert.equal(typeof got === 'object' ? got.because.replace(/^.*: /, '') : got, want)
    assert.equal(list.asked.join(''), asked)
  })
}
