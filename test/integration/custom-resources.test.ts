import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryStore, MemoryData } from '@strata/server/store'
import { sleep } from '@strata/world'
import { startServer } from '../support/one-server.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const merge = { 'content-type': 'application/merge-patch+json' }
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const definition = (plural: string, kind: string, schema: object = anything) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.example.dev` },
  spec: {
    group: 'example.dev',
    scope: 'Namespaced',
    names: { plural, kind },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
})
const at = (plural: string, one = ''): string =>
  `/apis/example.dev/v1/namespaces/default/${plural}${one === '' ? '' : `/${one}`}`
const instance = (kind: string, name: string, more: object = {}) => ({
  apiVersion: 'example.dev/v1',
  kind,
  metadata: { name },
  ...more,
})

type Started = Awaited<ReturnType<typeof startServer>>

const settled = ({ simulation }: Started): Promise<void> =>
  simulation.settle(sleep(simulation.process('client').clock, 3_000))

const stored = (name: string): string => `/registry/apiextensions.k8s.io/customresourcedefinitions/${name}`

async function withStored(name: string, text: string): Promise<MemoryData> {
  const data = new MemoryData()
  await createMemoryStore(data).commit(
    { writes: [{ kind: 'put', key: stored(name), value: Buffer.from(text) }], guards: [] },
    new AbortController().signal,
  )
  return data
}

const withOldDefinition = (): Promise<MemoryData> =>
  withStored(
    'olds.example.dev',
    '{"apiVersion":"apiextensions.k8s.io/v1alpha1","kind":"CustomResourceDefinition","metadata":{"name":"olds.example.dev"}}',
  )

const storedDefinition = (data: MemoryData, name: string) => {
  const [entry] = data.read([stored(name)]).entries
  assert.ok(entry)
  return JSON.parse(Buffer.from(entry.value).toString())
}

/**
 * As a kube-apiserver 1.36 has written it: in a version that neither it nor this server serves, and, as Go writes JSON,
 * with angle brackets escaped and a line break behind it.
 */
const ofKubeApiserver = String.raw`{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1beta1","metadata":{"name":"things.example.dev","uid":"3d4cb4a7-9d1c-4d0e-a1f4-9a0c6ba3b6f7","generation":1,"creationTimestamp":"2026-01-01T00:00:00Z"},"spec":{"group":"example.dev","version":"v1","names":{"plural":"things","singular":"thing","kind":"Thing","listKind":"ThingList"},"scope":"Namespaced","validation":{"openAPIV3Schema":{"type":"object","description":"a \u003e b","x-kubernetes-preserve-unknown-fields":true}},"subresources":{"status":{}},"versions":[{"name":"v1","served":true,"storage":true},{"name":"v2","served":true,"storage":false}],"additionalPrinterColumns":[{"name":"Size","type":"integer","JSONPath":".spec.size"}],"conversion":{"strategy":"None"},"preserveUnknownFields":false},"status":{"conditions":[{"type":"NamesAccepted","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z","reason":"NoConflicts","message":"no conflicts found"},{"type":"Established","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z","reason":"InitialNamesAccepted","message":"the initial names have been accepted"}],"acceptedNames":{"plural":"things","singular":"thing","kind":"Thing","listKind":"ThingList"},"storedVersions":["v1"]}}${'\n'}`

test('custom resources: a definition that a kube-apiserver has stored is served, with its kind, and says the same when it is written anew', async () => {
  const name = 'things.example.dev'
  const started = await startServer('a definition of a kube-apiserver', {
    data: await withStored(name, ofKubeApiserver),
  })
  await settled(started)
  const made = await started.send('POST', at('things'), instance('Thing', 'a'))
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { body } = await started.send('GET', `${definitions}/${name}`)
  assert.equal(body.apiVersion, 'apiextensions.k8s.io/v1')
  const columns = [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }]
  const common = {
    schema: { openAPIV3Schema: { ...anything, description: 'a > b' } },
    subresources: { status: {} },
    additionalPrinterColumns: columns,
  }
  assert.deepEqual(body.spec.versions, [
    { name: 'v1', served: true, storage: true, ...common },
    { name: 'v2', served: true, storage: false, ...common },
  ])
  await started.send('PATCH', `${definitions}/${name}`, { metadata: { labels: { a: 'b' } } }, merge)
  const { metadata, ...before } = JSON.parse(ofKubeApiserver)
  const { metadata: now, ...after } = storedDefinition(started.data, name)
  assert.deepEqual(after, before)
  assert.deepEqual([now.uid, now.generation, now.labels], [metadata.uid, 1, { a: 'b' }])
})

test('custom resources: instances of a definition from before v1, which keeps unknown fields, lose nothing', async () => {
  const name = 'things.example.dev'
  const { spec, ...old } = JSON.parse(ofKubeApiserver)
  const validation = { openAPIV3Schema: { properties: { spec: { properties: { a: { type: 'integer' } } } } } }
  for (const [why, change] of [
    ['it says so', { validation, preserveUnknownFields: true }],
    ['it says nothing, as most of them', { validation, preserveUnknownFields: undefined }],
    ['it has no schema at all', { validation: undefined, preserveUnknownFields: true }],
  ] as const) {
    const data = await withStored(name, JSON.stringify({ ...old, spec: { ...spec, ...change } }))
    const key = '/registry/example.dev/things/default/one'
    const rest = '"spec":{"a":1,"b":{"c":[2,{"d":null}]}},"more":"x"'
    const text = `{"apiVersion":"example.dev/v1","kind":"Thing","metadata":{"name":"one","namespace":"default","uid":"u","creationTimestamp":"2019-01-01T00:00:00Z","generation":1},${rest}}`
    await createMemoryStore(data).commit(
      { writes: [{ kind: 'put', key, value: Buffer.from(text) }], guards: [] },
      new AbortController().signal,
    )
    const started = await startServer(`an old definition, ${why}`, { data })
    const { send } = started
    await settled(started)
    const one = await send('GET', at('things', 'one'))
    assert.deepEqual([one.body.spec, one.body.more], [{ a: 1, b: { c: [2, { d: null }] } }, 'x'], why)
    const label = { metadata: { labels: { x: 'y' } } }
    assert.equal((await send('PATCH', at('things', 'one'), label, merge)).status, 200, why)
    const [entry] = data.read([key]).entries
    assert.ok(Buffer.from(entry?.value ?? []).includes(rest), `${why}: ${Buffer.from(entry?.value ?? [])}`)
    // Known fields are still validated by the schema.
    const wrong = await send('PATCH', at('things', 'one'), { spec: { a: 'text' } }, merge)
    assert.equal(wrong.status, change.validation ? 422 : 200, why)
  }
})

test('custom resources: managers that owned fields of a CRD in v1beta1 own nothing in an unserved version', async () => {
  const name = 'things.example.dev'
  const old = JSON.parse(ofKubeApiserver)
  old.metadata.managedFields = [
    {
      ...{ manager: 'helm', operation: 'Update', apiVersion: 'apiextensions.k8s.io/v1beta1' },
      ...{ time: '2019-01-01T00:00:00Z', fieldsType: 'FieldsV1' },
      fieldsV1: { 'f:spec': { 'f:validation': { 'f:openAPIV3Schema': { 'f:description': {} } } } },
    },
  ]
  const started = await startServer('old managers', { data: await withStored(name, JSON.stringify(old)) })
  await settled(started)
  const applied = await started.send(
    'PATCH',
    `${definitions}/${name}?fieldManager=me`,
    definition('things', 'Thing', { ...anything, description: 'new' }),
    { 'content-type': 'application/apply-patch+yaml' },
  )
  assert.equal(applied.status, 200, JSON.stringify(applied.body))
  const managers = applied.body.metadata.managedFields.map(({ manager }: { manager: string }) => manager)
  assert.deepEqual(managers, ['me'])
})

test('custom resources: a CRD is stored in v1beta1, also one that was stored in v1 before, and v1beta1 is not served', async () => {
  const name = 'olds.example.dev'
  const olds = { ...definition('olds', 'Old'), metadata: { name, uid: 'u', generation: 1 } }
  const data = await withStored(name, JSON.stringify(olds))
  const started = await startServer('a definition in v1', { data })
  const { send } = started
  await settled(started)
  assert.equal((await send('PATCH', `${definitions}/${name}`, {}, merge)).status, 200)
  await send('POST', definitions, definition('things', 'Thing'))
  for (const each of [name, 'things.example.dev']) {
    const { apiVersion, spec } = storedDefinition(data, each)
    assert.equal(apiVersion, 'apiextensions.k8s.io/v1beta1')
    assert.deepEqual(spec.validation, { openAPIV3Schema: anything })
    assert.deepEqual(spec.versions, [{ name: 'v1', served: true, storage: true }])
  }
  const old = await send('GET', '/apis/apiextensions.k8s.io/v1beta1/customresourcedefinitions')
  assert.equal(old.status, 404)
  const group = await send('GET', '/apis/apiextensions.k8s.io')
  assert.deepEqual(group.body.versions, [{ groupVersion: 'apiextensions.k8s.io/v1', version: 'v1' }])
})

test('custom resources: definitions of which one cannot be decoded are refused, with the version in which it is stored', async () => {
  const started = await startServer('an old definition, refused', { data: await withOldDefinition() })
  await settled(started)
  const { status, body } = await started.send('POST', definitions, definition('things', 'Thing'))
  assert.equal(status, 503)
  assert.match(body.message, /apiextensions\.k8s\.io\/v1alpha1/)
  assert.equal((await started.send('GET', '/api/v1/namespaces')).status, 200)
})

test('custom resources: a definition that cannot be decoded, if allowed, keeps no other from being served', async () => {
  const started = await startServer('an old definition', {
    data: await withOldDefinition(),
    allowUndecodableStorage: ['customresourcedefinitions.apiextensions.k8s.io'],
  })
  await settled(started)
  await started.send('POST', definitions, definition('things', 'Thing'))
  await settled(started)
  const made = await started.send('POST', at('things'), instance('Thing', 'a'))
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { status, body } = await started.send('GET', `${definitions}/olds.example.dev`)
  assert.equal(status, 500)
  assert.match(body.message, /stored as apiextensions.k8s.io\/v1alpha1/)
})

test('custom resources: no definition is served in the place of another, whatever its status says', async () => {
  const started = await startServer('accepted names')
  const { send } = started
  await send('POST', definitions, definition('lamps', 'Lamp'))
  await send('POST', definitions, definition('lenses', 'Lens'))
  await settled(started)
  assert.equal((await send('POST', at('lenses'), instance('Lens', 'a'))).status, 201)
  const said = { status: { acceptedNames: { plural: 'lenses' } } }
  assert.equal((await send('PATCH', `${definitions}/lamps.example.dev/status`, said, merge)).status, 200)
  await settled(started)
  // The names have been decided again meanwhile, and both are served under their own.
  const lens = await send('POST', at('lenses'), instance('Lens', 'b'))
  assert.equal(lens.status, 201, JSON.stringify(lens.body))
  const lamp = await send('POST', at('lamps'), instance('Lamp', 'b'))
  assert.equal(lamp.status, 201, JSON.stringify(lamp.body))
})

test('custom resources: of an embedded resource, its kind and metadata are patched and applied like the rest', async () => {
  const started = await startServer('embedded resources')
  const { send } = started
  const data = { type: 'object', additionalProperties: { type: 'string' } }
  const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { data } }
  const spec = { type: 'object', properties: { template: embedded } }
  await send('POST', definitions, definition('jobs', 'Job', { type: 'object', properties: { spec } }))
  await settled(started)
  const metadata = { name: 't', labels: { a: 'b' } }
  const template = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { k: 'v' } }
  const made = await send('POST', at('jobs'), instance('Job', 'x', { spec: { template } }))
  assert.deepEqual(made.body.spec.template, template)
  const change = [{ op: 'replace', path: '/spec/template/metadata/labels/a', value: 'c' }]
  const replaced = await send('PATCH', at('jobs', 'x'), change, {
    'content-type': 'application/json-patch+json',
  })
  assert.equal(replaced.body.spec?.template.metadata.labels.a, 'c', JSON.stringify(replaced.body))
  const without = { spec: { template: { metadata: { labels: null } } } }
  const merged = await send('PATCH', at('jobs', 'x'), without, merge)
  assert.deepEqual(merged.body.spec.template, { ...template, metadata: { name: 't' } })
  const wanted = instance('Job', 'x', { spec: { template: { metadata: { labels: { n: 'm' } } } } })
  const applied = await send('PATCH', `${at('jobs', 'x')}?fieldManager=me`, wanted, {
    'content-type': 'application/apply-patch+yaml',
  })
  assert.equal(applied.status, 200, JSON.stringify(applied.body))
  assert.deepEqual(applied.body.spec.template, { ...template, metadata: { name: 't', labels: { n: 'm' } } })
  const owners = applied.body.metadata.managedFields as { manager: string; fieldsV1: object }[]
  assert.deepEqual(owners.find(({ manager }) => manager === 'me')?.fieldsV1, {
    'f:spec': { 'f:template': { 'f:metadata': { 'f:labels': { 'f:n': {} } } } },
  })
})

test('custom resources: a change in one version loses nothing after a change in another one', async () => {
  const started = await startServer('two versions')
  const { send } = started
  const text = { type: 'string' }
  const versionOf = (name: string, storage: boolean, field: string) => {
    const part = { type: 'object', properties: { [field]: text } }
    const openAPIV3Schema = { type: 'object', properties: { spec: part, status: part } }
    return { name, served: true, storage, subresources: { status: {} }, schema: { openAPIV3Schema } }
  }
  const { spec, ...rest } = definition('lamps', 'Lamp')
  const versions = [versionOf('v1', true, 'one'), versionOf('v2', false, 'two')]
  await send('POST', definitions, { ...rest, spec: { ...spec, versions } })
  await settled(started)
  await send('POST', at('lamps'), instance('Lamp', 'x', { spec: { one: 'a' } }))
  await send('PATCH', `${at('lamps', 'x')}/status`, { status: { one: 'b' } }, merge)
  // Now a manager owns something in v2, where neither field is known.
  const labelled = { metadata: { labels: { by: 'v2' } } }
  const inV2 = `/apis/example.dev/v2/namespaces/default/lamps/x?fieldManager=other`
  // By way of the other version, what it does not know is dropped: conversion strategy None renames.
  const dropped = await send('PATCH', inV2, labelled, merge)
  assert.equal(dropped.status, 200, JSON.stringify(dropped.body))
  await send('PATCH', at('lamps', 'x'), { spec: { one: 'a' } }, merge)
  await send('PATCH', `${at('lamps', 'x')}/status`, { status: { one: 'b' } }, merge)
  const changed = await send('PATCH', at('lamps', 'x'), { metadata: { labels: { more: 'yes' } } }, merge)
  assert.deepEqual([changed.body.spec, changed.body.status], [{ one: 'a' }, { one: 'b' }])
})

test('custom resources: the CRDs of migration tools are accepted, and the built-in kinds serve them', async () => {
  const started = await startServer('migration tools')
  const { send } = started
  const [plural, group] = ['storageversionmigrations', 'migration.k8s.io']
  const { spec, ...rest } = definition(plural, 'StorageVersionMigration')
  const versions = spec.versions.map((each) => ({ ...each, name: 'v1alpha1' }))
  const annotations = { 'api-approved.kubernetes.io': 'https://github.com/kubernetes/enhancements/pull/747' }
  const made = await send('POST', definitions, {
    ...rest,
    metadata: { name: `${plural}.${group}`, annotations },
    spec: { ...spec, group, scope: 'Cluster', versions },
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  await settled(started)
  const { conditions } = (await send('GET', `${definitions}/${plural}.${group}`)).body.status
  const established = conditions.find(({ type }: { type: string }) => type === 'Established')
  assert.equal(established?.status, 'True', JSON.stringify(conditions))
})

const builtIn: readonly (readonly [plural: string, group: string, versionName: string, kind: string])[] = [
  ['events', 'events.k8s.io', 'v1', 'Event'],
  ['leases', 'coordination.k8s.io', 'v1', 'Lease'],
  ['customresourcedefinitions', 'apiextensions.k8s.io', 'v1', 'CustomResourceDefinition'],
  ['storageagreements', 'strata.dev', 'v1alpha1', 'StorageAgreement'],
  ['names', 'strata.dev', 'v1alpha1', 'Name'],
]
for (const [plural, group, versionName, kind] of builtIn) {
  test(`custom resources: no definition takes the place of ${plural}.${group}`, async () => {
    const started = await startServer(`${plural} of ${group}`)
    const { send } = started
    const path = `/apis/${group}/${versionName}/${plural}`
    const { body: before, status } = await send('GET', path)
    const { spec, ...rest } = definition(plural, 'Impostor')
    const versions = spec.versions.map((each) => ({ ...each, name: versionName }))
    const annotations = { 'api-approved.kubernetes.io': 'unapproved, a test' }
    const made = await send('POST', definitions, {
      ...rest,
      metadata: { name: `${plural}.${group}`, annotations },
      spec: { ...spec, group, scope: 'Cluster', versions },
    })
    if (group === 'strata.dev') {
      assert.equal(made.status, 422)
      assert.match(made.body.message, /spec.group: Forbidden: strata.dev and its subgroups are reserved/)
      return
    }
    assert.equal(made.status, 201, JSON.stringify(made.body))
    await settled(started)
    const { conditions } = (await send('GET', `${definitions}/${plural}.${group}`)).body.status
    const says = conditions.map(
      (each: Record<string, string>) => `${each['type']} ${each['status']} ${each['reason']}`,
    )
    assert.deepEqual(says.slice(0, 2), [
      'NamesAccepted False PluralConflict',
      'Established False NotAccepted',
    ])
    assert.match(
      conditions[0].message,
      /is a built-in resource of this server; delete this CustomResourceDef/,
    )
    const after = await send('GET', path)
    assert.deepEqual([after.status, after.body.kind], [status, before.kind])
    if (status === 200) assert.equal(after.body.kind, `${kind}List`)
    await send('DELETE', `${definitions}/${plural}.${group}`)
    await settled(started)
    assert.equal((await send('GET', `${definitions}/${plural}.${group}`)).status, 404)
  })
}

test('custom resources: a duplicate key is reported, however many fields are defaulted', async () => {
  const started = await startServer('twice')
  const { server, simulation } = started
  const text = { type: 'string' }
  const spec = { type: 'object', properties: { a: text, b: { ...text, default: 'x' } } }
  await started.send(
    'POST',
    definitions,
    definition('things', 'Thing', { type: 'object', properties: { spec } }),
  )
  await settled(started)
  const send = async (fields: string) => {
    const body = `{"apiVersion":"example.dev/v1","kind":"Thing","metadata":{"name":"a"},"spec":{${fields}}}`
    return simulation.settle(
      server.handle({
        method: 'POST',
        target: `${at('things')}?fieldValidation=Strict`,
        headers: { authorization: 'Bearer admin-token' },
        body: Buffer.from(body),
        signal: new AbortController().signal,
      }),
    )
  }
  // Three keys are sent, and with the default there are three again.
  assert.equal((await send('"a":"1","a":"2"')).status, 400)
  assert.equal((await send('"a":"1"')).status, 201)
})
