import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AgreementStatus, persistedKeysOf, type StorageCensusStatus } from '@strata/api'
import { decideWriteKey, protocolRules } from '@strata/server'
import { createMemoryStore } from '@strata/server/store'
import { EncryptedFleet, type EncryptedServer } from '../support/encrypted-fleet.ts'
import { agreementPath, beacon, beaconPath } from '../support/fleet.ts'
import { configMap, maps } from '../support/one-server.ts'

const never = new AbortController().signal
const key = (name: string): string => `/registry/configmaps/default/${name}`
const record = '/apis/strata.dev/v1alpha1/storageagreements/core.configmaps'

const statusOf = async ({ ask }: EncryptedServer): Promise<AgreementStatus> =>
  (await ask('GET', record)).body.status
const writeKeys = async (server: EncryptedServer): Promise<readonly string[]> =>
  (await statusOf(server)).servers.map(({ writeKey }) => writeKey.split(':').slice(0, 2).join(':'))
const censusOf = async ({ ask }: EncryptedServer): Promise<StorageCensusStatus> => {
  const spec = { resource: 'configmaps', maxObjects: 5 }
  const question = { apiVersion: 'strata.dev/v1alpha1', kind: 'StorageCensus', spec }
  return (await ask('POST', '/apis/strata.dev/v1alpha1/storagecensuses', question)).body.status
}
const touch = ({ ask }: EncryptedServer, name: string) =>
  ask('PATCH', `${maps}/${name}`, {}, { 'content-type': 'application/merge-patch+json' })

for (const kind of ['aescbc', 'aesgcm', 'secretbox']) {
  test(`encryption: with ${kind} the store has ciphertext, and every way of reading has the object`, async () => {
    const fleet = new EncryptedFleet(kind)
    const a = await fleet.start('a', [`${kind}:one`, 'identity'])
    const b = await fleet.start('b', [`${kind}:one`, 'identity'])
    const created = await a.ask('POST', maps, configMap('x', { password: 'hunter2' }))
    assert.equal(created.status, 201, JSON.stringify(created.body))
    const stored = await fleet.stored(key('x'))
    assert.equal(stored.subarray(0, 20).toString().split(':').slice(0, 3).join(':'), `k8s:enc:${kind}`)
    assert.doesNotMatch(stored.toString('latin1'), /hunter2|ConfigMap/)
    for (const server of [a, b]) {
      assert.deepEqual((await server.ask('GET', `${maps}/x`)).body.data, { password: 'hunter2' })
      const list = await server.ask('GET', maps)
      assert.deepEqual(
        list.body.items.map((each: { data: unknown }) => each.data),
        [{ password: 'hunter2' }],
      )
      const past = await server.ask(
        'GET',
        `${maps}?limit=1&resourceVersion=${created.body.metadata.resourceVersion}&resourceVersionMatch=Exact`,
      )
      assert.deepEqual(past.body.items[0].data, { password: 'hunter2' })
    }
    const { status } = await b.ask('DELETE', `${maps}/x`)
    assert.equal(status, 200)
  })
}

test('encryption: what agreement is made of stays as it is, whatever the configuration says', async () => {
  const fleet = new EncryptedFleet('frozen')
  const a = await fleet.start('a', ['aesgcm:one'])
  await a.ask('POST', maps, configMap('x'))
  const { entries } = await createMemoryStore(fleet.data).list({ prefix: '/registry/' }, never)
  const plain = entries.filter(
    ({ value }) => !Buffer.from(value).subarray(0, 8).equals(Buffer.from('k8s:enc:')),
  )
  const places = new Set(plain.map((each) => each.key.split('/').slice(2, 4).join('/')))
  for (const place of places) {
    assert.match(
      place,
      /^(?:namespaces|leases|strata\.dev|internal\.apiserver|kube-apiserver\.internal|apiserver)/,
    )
  }
  assert.ok(plain.length < entries.length)
})

test('encryption: another key for the same object is a write, the same key is none', async () => {
  const fleet = new EncryptedFleet('empty patch')
  const a = await fleet.start('a', ['aescbc:one', 'identity'])
  const before = (await a.ask('POST', maps, configMap('x'))).body.metadata.resourceVersion
  assert.equal((await touch(a, 'x')).body.metadata.resourceVersion, before, 'it is under the current key')
  assert.equal(await a.reload('secretbox:two', 'aescbc:one', 'identity'), undefined)
  await fleet.sleep(1_000)
  assert.equal(await fleet.sealOf(key('x')), 'aescbc:one', 'nothing is rewritten by itself')
  const after = (await touch(a, 'x')).body.metadata.resourceVersion
  assert.notEqual(after, before)
  assert.equal(await fleet.sealOf(key('x')), 'secretbox:two')
  assert.equal((await touch(a, 'x')).body.metadata.resourceVersion, after)
})

test('encryption: a key is written with only when every live server reads it (rule 17)', async () => {
  const fleet = new EncryptedFleet('promotion')
  const a = await fleet.start('a', ['aesgcm:one', 'identity'])
  const b = await fleet.start('b', ['aesgcm:one', 'identity'])
  const { epoch } = await statusOf(a)
  assert.equal(await a.reload('aesgcm:two', 'aesgcm:one', 'identity'), undefined)
  await fleet.sleep(5_000)
  assert.deepEqual(await writeKeys(a), ['aesgcm:one', 'aesgcm:one'], 'b cannot read the new one')
  await a.ask('POST', maps, configMap('x'))
  assert.equal(await fleet.sealOf(key('x')), 'aesgcm:one')

  assert.equal(await b.reload('aesgcm:one', 'aesgcm:two', 'identity'), undefined)
  await fleet.sleep(5_000)
  assert.deepEqual((await writeKeys(a)).toSorted(), ['aesgcm:one', 'aesgcm:two'], 'each as configured')
  const mixed = await statusOf(a)
  assert.ok(mixed.epoch > epoch, 'two keys are two encodings')
  const condition = mixed.conditions.find(({ type }) => type === 'AllWriteKeysEqual')
  assert.equal(condition?.status, 'False')
  await a.ask('POST', maps, configMap('y'))
  assert.equal(await fleet.sealOf(key('y')), 'aesgcm:two')
  assert.equal((await b.ask('GET', `${maps}/y`)).status, 200)

  assert.equal(await b.reload('aesgcm:two', 'aesgcm:one', 'identity'), undefined)
  await fleet.sleep(5_000)
  assert.deepEqual(await writeKeys(b), ['aesgcm:two', 'aesgcm:two'])
  const agreed = await statusOf(a)
  assert.deepEqual(agreed.encodings.length, 1)
  assert.deepEqual(
    persistedKeysOf(agreed).map((each) => each.split(':')[1]),
    ['one', 'two'],
  )
})

test('encryption: a key that waits because a file was forgotten is named, once in the log, and so is who does not read it', async () => {
  const lines: string[] = []
  const fleet = new EncryptedFleet('forgotten', (line) => {
    if (/ waits (?:to write|for a new key)/.test(line)) lines.push(line)
  })
  const a = await fleet.start('a', ['aesgcm:one', 'identity'])
  const b = await fleet.start('b', ['aesgcm:one', 'identity'])
  const { epoch } = await statusOf(a)
  assert.equal(await b.reload('aesgcm:two', 'aesgcm:one', 'identity'), undefined)
  await fleet.sleep(60_000)
  const waiting = await statusOf(a)
  assert.equal(waiting.epoch, epoch, 'what is only wanted is no encoding')
  const wanted = waiting.servers.flatMap(({ wantedKey }) => (wantedKey === undefined ? [] : [wantedKey]))
  assert.deepEqual(
    wanted.map((each) => each.split(':')[1]),
    ['two'],
  )
  const blind = waiting.servers.find(({ wantedKey }) => wantedKey === undefined)?.serverID ?? 'none'
  const text = `waits to write under ${wanted[0]}: ${blind} does not read it`
  const condition = waiting.conditions.find(({ type }) => type === 'AllWriteKeysEqual')
  assert.ok(condition?.message.includes(text), JSON.stringify(condition))
  // For all resources together, and for all looks at their records.
  assert.equal(lines.length, 1, lines.join('\n'))
  assert.match(lines[0] ?? '', / b info waits to write under a new key /)
  assert.ok(lines[0]?.includes(text), lines.join())

  assert.equal(await a.reload('aesgcm:two', 'aesgcm:one', 'identity'), undefined)
  await fleet.sleep(5_000)
  assert.deepEqual(await writeKeys(a), ['aesgcm:two', 'aesgcm:two'])
  const done = await statusOf(a)
  assert.ok(done.servers.every(({ wantedKey }) => wantedKey === undefined))
  const [, ...ofB] = lines.filter((line) => / b info /.test(line))
  assert.equal(ofB.length, 1, 'its end, and nothing in between')
  assert.match(ofB[0] ?? '', /no longer waits for a new key/)
})

test('encryption: promoted too early, another server cannot read what is written: the rule is what prevents it', async () => {
  const fleet = new EncryptedFleet('too early')
  const rash: typeof decideWriteKey = (facts) => ({
    ...decideWriteKey(facts),
    writeKey: facts.keys.preferred ?? 'none',
  })
  const rules = { ...protocolRules, decideWriteKey: rash }
  const a = await fleet.start('a', ['aesgcm:one', 'identity'], { rules })
  const b = await fleet.start('b', ['aesgcm:one', 'identity'])
  assert.equal(await a.reload('aesgcm:two', 'aesgcm:one', 'identity'), undefined)
  await fleet.sleep(2_000)
  await a.ask('POST', maps, configMap('x'))
  const read = await b.ask('GET', `${maps}/x`)
  assert.equal(read.status, 500)
  assert.match(read.body.message, /stored as k8s:enc:aesgcm:v1:two: \(encrypted\)/)
})

test('encryption: a server without a key that is in use refuses the resource, and says which', async () => {
  const said: string[] = []
  const fleet = new EncryptedFleet('lacking', (line) => said.push(line))
  const a = await fleet.start('a', ['aesgcm:one', 'identity'], { resources: ['configmaps'] })
  await a.ask('POST', maps, configMap('x'))
  for (const keys of [['aesgcm:two', 'identity'], ['aesgcm:one:another', 'identity'], []]) {
    const b = await fleet.create('b', keys, { resources: ['configmaps'] })
    await fleet.sleep(10_000)
    assert.equal(b.server.ready, false, 'it is not ready')
    const lines = said.splice(0).filter((line) => /^\S+ b\S* .*started, but not ready/.test(line))
    assert.equal(lines.length, 1, 'and says so, once')
    assert.match(
      String(lines),
      /this server may not write some resources yet .*configmaps.* which this server does not have/,
    )
    const own = (await statusOf(a)).servers.find(({ refusesWrites }) => refusesWrites)
    assert.match(
      own?.keyProblem ?? '',
      /may be under aesgcm:one:[0-9a-f]{12}, which this server does not have/,
    )
    const write = await b.ask('POST', maps, configMap('y'))
    assert.equal(write.status, 503)
    assert.match(write.body.message, /which this server does not have/)
    const read = await b.ask('GET', `${maps}/x`)
    assert.equal(read.status, 500)
    assert.match(read.body.message, /encrypted/)
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } }
    const other = await b.ask('POST', '/api/v1/namespaces/default/secrets', secret)
    assert.ok([201, 409].includes(other.status), 'other resources are served')
    assert.equal(
      (await a.ask('POST', maps, configMap(`more-${keys.length}-${keys[0]?.length}`))).status,
      201,
      'and a goes on',
    )
    await b.stop()
  }
})

test('encryption: a key goes only when it is proven that nothing is under it', async () => {
  const fleet = new EncryptedFleet('removal')
  const a = await fleet.start('a', ['aesgcm:one', 'identity'], { resources: ['configmaps'] })
  await a.ask('POST', maps, configMap('x'))
  assert.match(
    (await a.reload('aesgcm:two', 'identity')) ?? 'taken',
    /may still have objects under aesgcm:one/,
  )
  assert.match(
    (await a.reload('aesgcm:one:another', 'identity')) ?? 'taken',
    /may still have objects under aesgcm:one/,
  )
  assert.deepEqual(await writeKeys(a), ['aesgcm:one'], 'the configuration before is in force')
  assert.equal(await a.reload('aesgcm:two', 'aesgcm:one', 'identity'), undefined)
  await fleet.sleep(1_000)
  assert.match(
    (await a.reload('aesgcm:two', 'identity')) ?? 'taken',
    /may still have objects under aesgcm:one/,
  )
  await a.ask('POST', maps, configMap('y'))
  const counted = await censusOf(a)
  assert.deepEqual([counted.total, counted.stale, counted.proven], [2, 1, true])
  const byKey = counted.encodings.map(({ key: under = '', count }) => `${under.split(':')[1]} ${count}`)
  assert.deepEqual(byKey, ['one 1', 'two 1'])
  await touch(a, 'x')
  // All is under the new key by now, but no census has counted it.
  assert.match(
    (await a.reload('aesgcm:two', 'identity')) ?? 'taken',
    /may still have objects under aesgcm:one/,
  )
  assert.deepEqual([(await censusOf(a)).stale, persistedKeysOf(await statusOf(a)).length], [0, 1])
  assert.equal(await a.reload('aesgcm:two'), undefined)
  await fleet.sleep(1_000)
  assert.deepEqual((await statusOf(a)).servers[0]?.readableKeys.length, 1)
  assert.equal((await a.ask('GET', `${maps}/x`)).status, 200)
})

test('encryption: what is written again in bulk is under the current key, and what cannot be opened is named', async () => {
  const fleet = new EncryptedFleet('in bulk')
  const a = await fleet.start('a', ['aescbc:one', 'identity'], { resources: ['configmaps'] })
  for (let index = 0; index < 150; index++) await a.ask('POST', maps, configMap(`x-${index}`))
  await a.reload('aesgcm:two', 'aescbc:one', 'identity')
  await fleet.sleep(1_000)
  const value = Buffer.from('k8s:enc:aesgcm:v1:lost:abc')
  const commit = { writes: [{ kind: 'put', key: key('x-7'), value } as const], guards: [] }
  await createMemoryStore(fleet.data).commit(commit, never)
  const { epoch } = await statusOf(a)
  const spec = { resource: 'configmaps', epoch, encodingVersion: 'v1', limit: 500 }
  const question = { apiVersion: 'strata.dev/v1alpha1', kind: 'StorageReencode', spec }
  const done = await a.ask('POST', '/apis/strata.dev/v1alpha1/storagereencodes', question)
  assert.deepEqual([done.body.status?.migrated, done.body.status?.left], [149, 1], JSON.stringify(done.body))
  assert.equal(await fleet.sealOf(key('x-8')), 'aesgcm:two')
  const counted = await censusOf(a)
  assert.deepEqual([counted.total, counted.stale, counted.unreadable], [150, 0, 1])
  assert.match(counted.objects?.[0]?.message ?? '', /unable to transform key .*x-7": no matching key found/)
  assert.equal(
    persistedKeysOf(await statusOf(a)).length,
    2,
    'nothing is forgotten while something cannot be read',
  )
})

test('encryption: a value that was moved to another place is named, and the others can be read', async () => {
  const fleet = new EncryptedFleet('moved')
  const a = await fleet.start('a', ['aesgcm:one', 'identity'])
  for (const name of ['x', 'y', 'z']) await a.ask('POST', maps, configMap(name))
  const store = createMemoryStore(fleet.data)
  const value = await fleet.stored(key('x'))
  await store.commit({ writes: [{ kind: 'put', key: key('y'), value }], guards: [] }, never)
  await fleet.sleep(1_000)
  const read = await a.ask('GET', `${maps}/y`)
  assert.equal(read.status, 500)
  assert.match(
    read.body.message,
    /unable to transform key "\/registry\/configmaps\/default\/y": .*authentication failed/,
  )
  const list = await a.ask('GET', maps)
  assert.equal(list.status, 500)
  assert.match(list.body.message, /1 of 3 objects of configmaps cannot be decoded: "default\/y"/)
  assert.equal((await a.ask('GET', `${maps}/z`)).status, 200)
  assert.equal((await touch(a, 'y')).status, 500)
})

test('encryption: what is stored as it is, where it should not be, is not read', async () => {
  const fleet = new EncryptedFleet('slipped in')
  const a = await fleet.start('a', ['aesgcm:one'])
  await a.ask('POST', maps, configMap('x'))
  const value = Buffer.from(
    JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'x', namespace: 'default' } }),
  )
  const commit = { writes: [{ kind: 'put', key: key('x'), value } as const], guards: [] }
  await createMemoryStore(fleet.data).commit(commit, never)
  await fleet.sleep(1_000)
  const read = await a.ask('GET', `${maps}/x`)
  assert.equal(read.status, 500)
  const { message } = read.body
  assert.match(message, /^stored in clear text, which this server does not read \(configmaps\): /)
  assert.match(
    message,
    /it is not encrypted, and the provider identity is not configured; add `identity: \{\}` as the last/,
  )
  assert.doesNotMatch(message, /\(encrypted\)|the key that/)
  const list = (await a.ask('GET', maps)).body.message
  assert.match(list, /"default\/x" \(stored in clear text\); add `identity: \{\}` as the last provider/)
})

test('encryption: from nothing to a key and back, with everything readable all the time', async () => {
  const fleet = new EncryptedFleet('there and back')
  const a = await fleet.start('a', [])
  await a.ask('POST', beaconPath('v1'), beacon('v1', 'one', 5))
  await a.stop()
  const b = await fleet.start('b', ['secretbox:one', 'identity'])
  assert.equal((await b.ask('GET', beaconPath('v2', 'one'))).body.spec.periodMs, 5_000)
  await b.ask('POST', beaconPath('v1'), beacon('v1', 'two', 6))
  const place = '/registry/lighthouse.example.dev/beacons/default/'
  assert.deepEqual(
    [await fleet.sealOf(`${place}one`), await fleet.sealOf(`${place}two`)],
    ['identity', 'secretbox:one'],
  )
  assert.equal(persistedKeysOf((await b.ask('GET', agreementPath)).body.status).length, 2)
  const c = await fleet.create('c', [])
  await fleet.sleep(5_000)
  assert.equal(c.server.ready, false, 'one that cannot read it does not serve it')
  await c.stop()
  const d = await fleet.start('d', ['identity', 'secretbox:one'])
  await b.stop()
  await fleet.sleep(70_000)
  await d.ask('PATCH', beaconPath('v1', 'two'), {}, { 'content-type': 'application/merge-patch+json' })
  assert.equal(await fleet.sealOf(`${place}two`), 'identity')
})

test('encryption: definitions and their instances are encrypted like everything else, and follow a rotation', async () => {
  const fleet = new EncryptedFleet('custom')
  const a = await fleet.start('a', ['aesgcm:one', 'identity'])
  const b = await fleet.start('b', ['aesgcm:one', 'identity'])
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const versions = [{ name: 'v1', served: true, storage: true, schema }]
  const names = { plural: 'gadgets', kind: 'Gadget' }
  const definition = {
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: { name: 'gadgets.example.dev' },
    spec: { group: 'example.dev', scope: 'Namespaced', names, versions },
  }
  const created = await a.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)
  assert.equal(created.status, 201, JSON.stringify(created.body))
  await fleet.sleep(3_000)
  const gadgets = '/apis/example.dev/v1/namespaces/default/gadgets'
  const gadget = (name: string) => ({
    apiVersion: 'example.dev/v1',
    kind: 'Gadget',
    metadata: { name },
    colour: 'red',
  })
  assert.equal((await a.ask('POST', gadgets, gadget('x'))).status, 201)
  const place = '/registry/example.dev/gadgets/default/'
  assert.equal(await fleet.sealOf(`${place}x`), 'aesgcm:one')
  const defined = '/registry/apiextensions.k8s.io/customresourcedefinitions/gadgets.example.dev'
  assert.equal(await fleet.sealOf(defined), 'aesgcm:one')
  for (const server of [a, b]) await server.reload('secretbox:two', 'aesgcm:one', 'identity')
  await fleet.sleep(3_000)
  assert.equal((await b.ask('POST', gadgets, gadget('y'))).status, 201)
  assert.equal(await fleet.sealOf(`${place}y`), 'secretbox:two')
  const list = await a.ask('GET', gadgets)
  assert.deepEqual(
    list.body.items.map((each: { colour: string }) => each.colour),
    ['red', 'red'],
  )
  // Also where definitions are stored in a version that is not served, which is how servers write them again.
  const about = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' }
  const own = '/apis/strata.dev/v1alpha1'
  const record = await a.ask('GET', `${own}/storageagreements/${about.group}.${about.resource}`)
  const { epoch, agreedVersion: encodingVersion } = record.body.status
  const done = await a.ask('POST', `${own}/storagereencodes`, {
    ...{ apiVersion: 'strata.dev/v1alpha1', kind: 'StorageReencode' },
    spec: { ...about, epoch, encodingVersion },
  })
  assert.equal(done.body.status?.migrated, 1, JSON.stringify(done.body))
  assert.equal(await fleet.sealOf(defined), 'secretbox:two')
})

test('encryption: without a configuration nothing is in between, and nothing is said of it', async () => {
  const fleet = new EncryptedFleet('none')
  const a = await fleet.start('a', [])
  await a.ask('POST', maps, configMap('x'))
  const status = await statusOf(a)
  assert.deepEqual(persistedKeysOf(status), ['identity'])
  assert.deepEqual(
    status.servers.map(({ writeKey, readableKeys }) => [writeKey, readableKeys]),
    [['identity', ['identity']]],
  )
  assert.ok(!status.conditions.some(({ type }) => type === 'AllWriteKeysEqual'))
  assert.equal(await a.reload('aesgcm:one'), 'this server was started without --encryption-provider-config')
})
