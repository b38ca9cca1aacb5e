import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryStore } from '@strata/server/store'
import { beacon, beaconPath } from '../support/fleet.ts'
import { lamps, lampsPath, MigrationFleet, mergePatch } from '../support/migration-fleet.ts'
import { census, prefix, questions, reencode, v1 } from '../support/stored-lamps.ts'

const never = new AbortController().signal

test('next to the data: the result is what an empty patch makes of it, byte for byte', async () => {
  const schema = (more: object) => ({
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            watts: { type: 'integer', maximum: 1_000 },
            ...more,
            free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
        status: { type: 'object', properties: { lit: { type: 'boolean' } } },
      },
    },
  })
  const versions = (storage: string, only = {}) => [
    ...[
      { name: 'v1', served: true, storage: storage === 'v1', schema: schema({ old: { type: 'string' } }) },
      { name: 'v2', served: true, storage: storage === 'v2', schema: schema(only) },
    ].map((each) => ({ ...each, subresources: { status: {} } })),
  ]
  const fleet = new MigrationFleet('byte for byte')
  await fleet.startServer('a')
  await fleet.fill(4, { spec: { versions: versions('v1') } })
  const send = async (method: string, path: string, body?: object, headers = {}): Promise<void> => {
    const answer = await fleet.settle(fleet.send(method, path, body, headers))
    assert.ok(answer.status < 300, JSON.stringify(answer.body))
  }
  const make = (name: string, metadata: object, spec: object) =>
    send('POST', `${lampsPath()}?fieldManager=someone`, {
      ...{ apiVersion: v1, kind: 'Lamp', metadata: { name, ...metadata }, spec },
    })
  await make('annotated', { labels: { a: 'b' }, annotations: { 'x/y': 'ü "quoted" \u2028' } }, { watts: 5 })
  await make('dropped', {}, { watts: 6, old: 'only v1 knows this' })
  await make('large', {}, { watts: 7, free: { list: [1, { deep: null }], on: true } })
  await make('kept', { finalizers: ['example.dev/keeper'] }, { watts: 8 })
  await send('DELETE', lampsPath('kept'))
  await make('lit', {}, { watts: 9 })
  await send(
    'PATCH',
    `${lampsPath('lit', 'v2')}/status?fieldManager=other`,
    { status: { lit: true } },
    mergePatch,
  )
  await send('PATCH', `${lampsPath('lit', 'v2')}?fieldManager=third`, { spec: { watts: 10 } }, mergePatch)
  const store = createMemoryStore(fleet.data)
  const raw = (name: string, text: string) =>
    store.commit(
      { writes: [{ kind: 'put', key: `${prefix}default/${name}`, value: Buffer.from(text) }], guards: [] },
      never,
    )
  const ids = '"uid":"u","creationTimestamp":"2026-01-01T00:00:00Z","generation":1'
  await raw(
    'foreign',
    `{"apiVersion":"${v1}","kind":"Lamp","metadata":{"name":"foreign","namespace":"default",${ids},"selfLink":"/x"},"spec":{"free":{"n":9007199254740993,"f":1.0,"e":1e3},"watts":1}}`,
  )
  // More than a schema of today lets in, though it was let in once: what does not change is tolerated.
  await raw(
    'invalid',
    `{"apiVersion":"${v1}","kind":"Lamp","metadata":{"name":"invalid","namespace":"default",${ids}},"spec":{"watts":5000}}`,
  )
  const stored = (): Map<string, string> =>
    new Map(
      fleet.data
        .list({ prefix })
        .entries.map(({ key, value }) => [key.slice(prefix.length), Buffer.from(value).toString()]),
    )
  for (const [why, only] of [
    ['no defaults', {}],
    ['a default that only the new version has', { colour: { type: 'string', default: 'white' } }],
  ] as const) {
    await fleet.settle(fleet.change({ spec: { versions: versions('v1', only) } }))
    await fleet.simulation.run({ untilMs: fleet.simulation.nowMs + 5_000 })
    const before = stored()
    assert.ok(before.size > 0)
    await fleet.settle(fleet.change({ spec: { versions: versions('v2', only) } }))
    await fleet.simulation.run({ untilMs: fleet.simulation.nowMs + 5_000 })
    const slow = await fleet.settle(fleet.migrator(lamps).start({ nextToData: false }))
    assert.deepEqual([slow.outcome, slow.progress.migrated], ['succeeded', before.size], why)
    const want = stored()
    for (const [name, text] of before) await raw(name.slice('default/'.length), text)
    await fleet.simulation.run({ untilMs: fleet.simulation.nowMs + 5_000 })
    const fast = await reencode(fleet)
    assert.deepEqual([fast.migrated, fast.left], [before.size, 0], `${why}: ${JSON.stringify(fast.objects)}`)
    const timeless = (text: string | undefined) =>
      text?.replace(
        /("manager":"strata-migrator","operation":"Update","apiVersion":"[^"]*","time":")[^"]*/,
        '$1',
      )
    const got = stored()
    for (const name of before.keys())
      assert.equal(timeless(got.get(name)), timeless(want.get(name)), `${why}: ${name}`)
    for (const [name, text] of before) await raw(name.slice('default/'.length), text)
  }
})

test('next to the data: objects of a kind of the program too, with fields of newer releases, as an empty patch leaves them', async () => {
  const fleet = new MigrationFleet('program')
  await fleet.startServer('a', 'x+1')
  for (const name of ['one', 'two']) {
    const answer = await fleet.ask('POST', beaconPath('v1'), beacon('v1', name, 5))
    assert.equal(answer.status, 201)
  }
  const kept = fleet.data.list({ prefix: '/registry/lighthouse.example.dev/' }).entries
  assert.equal(kept.length, 2)
  const store = createMemoryStore(fleet.data)
  const [first] = kept
  assert.ok(first)
  const strange = Buffer.from(first.value).toString().replace('"spec":{', '"spec":{"newer":{"a":1},')
  await store.commit(
    { writes: [{ kind: 'put', key: first.key, value: Buffer.from(strange) }], guards: [] },
    never,
  )
  await fleet.settle(fleet.stopServer('a'))
  await fleet.startServer('b', 'x+2')
  const agreement = 'lighthouse.example.dev.beacons'
  const { body } = await fleet.ask('GET', `${questions}/storageagreements/${agreement}`)
  const { epoch, agreedVersion } = body.status
  const about = { group: 'lighthouse.example.dev', resource: 'beacons' }
  const before = await census(fleet, about)
  const isStale = !before.encodings.every(({ encodingVersion }) => encodingVersion === agreedVersion)
  assert.ok(isStale, JSON.stringify(before))
  const state = (): string[] =>
    fleet.data
      .list({ prefix: '/registry/lighthouse.example.dev/' })
      .entries.map(({ value }) => Buffer.from(value).toString())
  const stale = fleet.data.list({ prefix: '/registry/lighthouse.example.dev/' }).entries
  const slow = await fleet.settle(fleet.migrator(about).start({ nextToData: false }))
  assert.deepEqual([slow.outcome, slow.progress.migrated], ['succeeded', 2])
  const want = state()
  assert.ok(want.some((each) => each.includes('newer')))
  for (const { key, value } of stale)
    await store.commit({ writes: [{ kind: 'put', key, value }], guards: [] }, never)
  await fleet.simulation.run({ untilMs: fleet.simulation.nowMs + 1_000 })
  const done = await reencode(fleet, { ...about, epoch, encodingVersion: agreedVersion })
  assert.deepEqual([done.outcome, done.migrated], ['Done', 2], JSON.stringify(done))
  assert.deepEqual(state(), want)
})

test('next to the data: objects of a version that is only stored, as an empty patch leaves them', async () => {
  const fleet = new MigrationFleet('definitions')
  await fleet.startServer('a')
  await fleet.fill(0)
  const about = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' }
  const key = `/registry/${about.group}/${about.resource}/lamps.light.example.dev`
  const served = `/apis/${about.group}/v1/${about.resource}/lamps.light.example.dev`
  const store = createMemoryStore(fleet.data)
  const stored = (): string => Buffer.from(fleet.data.read([key]).entries[0]?.value ?? []).toString()
  const { kind, apiVersion, metadata, ...rest } = (await fleet.ask('GET', served)).body
  const { resourceVersion: _, ...kept } = metadata
  // As a server stored definitions that did so in the version which is served.
  const old = JSON.stringify({ kind, apiVersion, metadata: kept, ...rest })
  const putBack = async (): Promise<void> => {
    await store.commit({ writes: [{ kind: 'put', key, value: Buffer.from(old) }], guards: [] }, never)
    await fleet.simulation.run({ untilMs: fleet.simulation.nowMs + 1_000 })
    assert.ok(stored().includes('"apiVersion":"apiextensions.k8s.io/v1"'))
  }
  await putBack()
  assert.equal((await fleet.settle(fleet.send('PATCH', served, {}, mergePatch))).status, 200)
  const want = stored()
  assert.ok(want.includes('"apiVersion":"apiextensions.k8s.io/v1beta1"'))
  await putBack()
  const { body } = await fleet.ask('GET', `${questions}/storageagreements/${about.group}.${about.resource}`)
  const { epoch, agreedVersion } = body.status
  const done = await reencode(fleet, { ...about, epoch, encodingVersion: agreedVersion })
  assert.deepEqual([done.outcome, done.migrated], ['Done', 1], JSON.stringify(done))
  assert.equal(stored(), want)
})
