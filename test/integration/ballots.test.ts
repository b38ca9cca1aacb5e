import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWatch } from '../support/open-watch.ts'
import { VoteFleet } from '../support/vote-fleet.ts'

const all = '/apis/kube-apiserver.internal.k8s.io/v1alpha1/storageversions'
const path = `${all}/lighthouse.example.dev.beacons`
const v1 = 'lighthouse.example.dev/v1'
const v2 = 'lighthouse.example.dev/v2'

const idOf = (fleet: VoteFleet, name: string): string =>
  fleet.member(name).server.coordinator.identity.serverID

test('ballot: it has the seed’s shape, and shows the record it changes with', async () => {
  const fleet = new VoteFleet('ballot')
  await fleet.start('a', 'x+1')
  await fleet.start('b', 'x+2')
  await fleet.start('c', 'x+1', { form: 'report' })
  const { status, body } = await fleet.ask('a', 'GET', path)
  assert.equal(status, 200)
  const { metadata, ...ballot } = body
  assert.equal(metadata.name, 'lighthouse.example.dev.beacons')
  assert.deepEqual(ballot, {
    apiVersion: 'kube-apiserver.internal.k8s.io/v1alpha1',
    kind: 'StorageVersion',
    selectedVersion: v1,
    candidateVersions: [
      { apiServerID: idOf(fleet, 'a'), preferredVersion: v1 },
      { apiServerID: idOf(fleet, 'b'), preferredVersion: v2 },
      { apiServerID: idOf(fleet, 'c'), preferredVersion: v1 },
    ].sort((one, other) => (one.apiServerID < other.apiServerID ? -1 : 1)),
  })
  const [record, shown] = fleet.data.read([
    '/registry/strata.dev/storageagreements/lighthouse.example.dev.beacons',
    '/registry/kube-apiserver.internal.k8s.io/storageversions/lighthouse.example.dev.beacons',
  ]).entries
  assert.ok(record && shown && shown.revision - record.revision < 3, 'one transaction')
})

test('ballot: a watch tells when the selection moves, and a table who is for what', async () => {
  const fleet = new VoteFleet('watched')
  await fleet.start('a', 'x+1')
  await fleet.start('b', 'x+2')
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
  const table = (await fleet.ask('a', 'GET', path, undefined, { accept })).body
  assert.deepEqual(
    table.columnDefinitions.map(({ name }: { name: string }) => name),
    ['Name', 'Selected', 'Candidates', 'Age'],
  )
  assert.deepEqual(table.rows[0].cells.slice(0, 3), [
    'lighthouse.example.dev.beacons',
    v1,
    '1 for v1, 1 for v2',
  ])
  const { server } = fleet.member('b')
  const watch = await fleet.settle(
    openWatch(server, `${all}?watch=true&fieldSelector=metadata.name%3Dlighthouse.example.dev.beacons`),
  )
  await fleet.stop('a')
  const seen = watch.events.map(({ object }) => (object as { selectedVersion?: string }).selectedVersion)
  assert.equal(seen.at(-1), v2)
})

test('ballot: clients read it and nothing else', async () => {
  const fleet = new VoteFleet('read only')
  await fleet.start('a', 'x+1')
  const { body } = await fleet.ask('a', 'GET', path)
  const tries: readonly (readonly [method: string, path: string])[] = [
    ['PUT', path],
    ['DELETE', path],
    ['POST', all],
    ['DELETE', all],
  ]
  for (const [method, target] of tries) {
    const answer = await fleet.ask('a', method, target, { ...body, selectedVersion: v2 })
    assert.equal(answer.status, 405, method)
    assert.match(answer.body.message, /a ballot is written only by the API servers/)
  }
  // Two groups have resources of this name; a client that does not say which means the one that it comes to first.
  const groups: { name: string }[] = (await fleet.ask('a', 'GET', '/apis')).body.groups
  const at = (group: string): number => groups.findIndex(({ name }) => name === group)
  assert.ok(at('internal.apiserver.k8s.io') < at('kube-apiserver.internal.k8s.io'))
  const found = await fleet.ask('a', 'GET', '/apis/kube-apiserver.internal.k8s.io/v1alpha1')
  assert.deepEqual(
    found.body.resources.map(({ name, verbs }: { name: string; verbs: string[] }) => [name, verbs.join()]),
    [['storageversions', 'get,list,watch']],
  )
})

test('ballot: without voters there is none', async () => {
  const fleet = new VoteFleet('nobody votes')
  await fleet.start('a', 'x+1', { form: 'report' })
  assert.deepEqual((await fleet.ask('a', 'GET', all)).body.items, [])
})

test('ballot: custom resources are reported and never voted on', async () => {
  const fleet = new VoteFleet('custom resources')
  await fleet.start('a', 'x+1')
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gadgets.example.org' },
    spec: {
      group: 'example.org',
      names: { plural: 'gadgets', kind: 'Gadget' },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  }
  const made = await fleet.ask(
    'a',
    'POST',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    definition,
  )
  assert.equal(made.status, 201, JSON.stringify(made.body))
  await fleet.pass(2_000)
  const record = await fleet.ask(
    'a',
    'GET',
    '/apis/strata.dev/v1alpha1/storageagreements/example.org.gadgets',
  )
  assert.equal(record.body.status.agreedVersion, 'example.org/v1')
  assert.equal(record.body.status.servers[0].preferredVersion, undefined)
  assert.equal((await fleet.ask('a', 'GET', `${all}/example.org.gadgets`)).status, 404)
})

test('ballot: a full stop keeps it, and a server that does not serve the resource takes it away only if nothing is stored', async () => {
  const fleet = new VoteFleet('collected')
  await fleet.start('a', 'x+1')
  assert.equal(await fleet.write('a', 'one'), 'v1')
  await fleet.stop('a')
  const stored = (): string | undefined => {
    const key = '/registry/kube-apiserver.internal.k8s.io/storageversions/lighthouse.example.dev.beacons'
    const [entry] = fleet.data.read([key]).entries
    return entry && JSON.parse(Buffer.from(entry.value).toString()).selectedVersion
  }
  assert.equal(stored(), v1)
  // A release that does not know beacons.
  fleet.launch('other', 'none of them')
  await fleet.settle(fleet.member('other').started)
  await fleet.pass(2_000)
  assert.equal(stored(), v1, 'something is stored')
  fleet.data.commit({
    writes: [{ kind: 'delete', key: '/registry/lighthouse.example.dev/beacons/default/one' }],
    guards: [],
  })
  await fleet.pass(1_000_000)
  assert.equal(stored(), undefined)
  const { selectedVersion, epoch } = (
    await fleet.ask(
      'other',
      'GET',
      '/apis/strata.dev/v1alpha1/storageagreements/lighthouse.example.dev.beacons',
    )
  ).body.status
  assert.deepEqual([selectedVersion, epoch], [undefined, 1], 'the record stays')
})
