import assert from 'node:assert/strict'
import { test } from 'node:test'
import { persistedVersionsOf } from '@strata/api'
import { createMemoryStore } from '@strata/server/store'
import { type Outbound, OutboundError, utf8 } from '@strata/world'
import { lampName, lamps, lampsPath, MigrationFleet } from '../support/migration-fleet.ts'
import { census, epochOf, prefix, questions, reencode, switched, v1, v2 } from '../support/stored-lamps.ts'

const never = new AbortController().signal

test('next to the data: a census counts by version, names the first that are stale, and proves that nothing is', async () => {
  const fleet = await switched('census', 5)
  await fleet.ask('POST', lampsPath(), { apiVersion: v1, kind: 'Lamp', metadata: { name: 'new' } })
  const { epoch = 0, resourceVersion, ...before } = await census(fleet, { ...lamps, maxObjects: 2 })
  assert.ok(epoch > 1 && Number(resourceVersion) <= fleet.data.revision)
  const record = await fleet.ask('GET', `${questions}/storageagreements/${lamps.group}.lamps`)
  const recordUID: string = record.body.metadata.uid
  assert.deepEqual(before, {
    ...{ recordUID, total: 6, unreadable: 0, agreedVersion: v2, fenced: true, stale: 5, proven: true },
    encodings: [
      { encodingVersion: v1, count: 5 },
      { encodingVersion: v2, count: 1 },
    ],
    objects: [0, 1].map((index) => ({
      ...{ namespace: 'default', name: lampName(index), encodingVersion: v1, reason: 'Stale' },
    })),
  })
  const persisted = async (): Promise<readonly string[]> => {
    const { body } = await fleet.ask('GET', `${questions}/storageagreements/${lamps.group}.lamps`)
    return persistedVersionsOf(body.status)
  }
  assert.deepEqual(await persisted(), [v1, v2])
  const { resourceVersion: written, ...done } = await reencode(fleet)
  const counts = { examined: 6, migrated: 5, alreadyCurrent: 1, left: 0 }
  assert.deepEqual(done, { outcome: 'Done', epoch, recordUID, ...counts })
  assert.equal(Number(written), fleet.data.revision)
  const after = await census(fleet)
  assert.deepEqual(after.encodings, [{ encodingVersion: v2, count: 6 }])
  assert.deepEqual([after.stale, after.proven, after.objects], [0, true, undefined])
  assert.deepEqual(await persisted(), [v2], 'the record may forget what is proven to be gone')
  assert.equal(await epochOf(fleet), epoch)
  // They are read as they were before.
  const { body } = await fleet.ask('GET', lampsPath(lampName(3)))
  assert.equal(body.spec.watts, 3)
  const { migrated, alreadyCurrent } = await reencode(fleet)
  assert.deepEqual([migrated, alreadyCurrent], [0, 6])
})

test('next to the data: what cannot be read is counted apart, named, and left', async () => {
  const fleet = await switched('unreadable', 3)
  const store = createMemoryStore(fleet.data)
  const put = (name: string, value: string) =>
    ({ kind: 'put', key: `${prefix}default/${name}`, value: Buffer.from(value) }) as const
  const cut = '{"kind":"Lamp","apiVersion":"light.example.dev/v1","metadata":{"name":"cut'
  const old = '{"kind":"Lamp","apiVersion":"light.example.dev/v0","metadata":{"name":"old"}}'
  await store.commit(
    { writes: [put('broken', 'k8s\u0000'), put('cut', cut), put('old', old)], guards: [] },
    never,
  )
  const seen = await census(fleet)
  assert.deepEqual([seen.total, seen.unreadable, seen.stale], [6, 2, 4])
  assert.deepEqual(
    seen.encodings.map(({ encodingVersion, count }) => [encodingVersion, count]),
    [
      ['light.example.dev/v0', 1],
      [v1, 3],
    ],
  )
  const unreadable = (seen.objects ?? []).filter(({ reason }) => reason === 'Unreadable')
  assert.deepEqual(
    unreadable.map(({ name }) => name),
    ['broken', 'cut'],
  )
  const done = await reencode(fleet)
  assert.deepEqual([done.outcome, done.migrated, done.left], ['Done', 3, 3])
  assert.deepEqual(
    done.objects?.map(({ name, reason }) => [name, reason]),
    [
      ['broken', 'Undecodable'],
      ['cut', 'Undecodable'],
      ['old', 'Undecodable'],
    ],
  )
  assert.match(done.objects?.[2]?.message ?? '', /add v0 to spec.versions/)
})

test('next to the data: a batch goes on where the one before has ended, and stops where the epoch has moved', async () => {
  const fleet = await switched('batches', 25)
  const first = await reencode(fleet, { limit: 10 })
  assert.deepEqual([first.outcome, first.examined, first.migrated], ['More', 10, 10])
  const { continueToken } = first
  const epoch = await epochOf(fleet)
  const second = await reencode(fleet, { limit: 10, continueToken })
  assert.deepEqual([second.outcome, second.examined, second.migrated], ['More', 10, 10])
  await fleet.switchTo('v1')
  const revision = fleet.data.revision
  const third = await reencode(fleet, { limit: 10, continueToken: second.continueToken, epoch })
  assert.deepEqual([third.outcome, third.epoch, third.migrated], ['EpochMoved', epoch + 1, 0])
  assert.equal(fleet.data.revision, revision)
  assert.deepEqual(fleet.stored(), { [v1]: 5, [v2]: 20 })
})

test('next to the data: transactions are small, and one whose guards fail is split', async () => {
  const fleet = await switched('split', 250)
  const commits: number[] = []
  const { data } = fleet
  const plain = data.commit.bind(data)
  let raced = false
  data.commit = (commit) => {
    const puts = commit.writes.filter(({ key }) => key.startsWith(prefix))
    if (puts.length > 1 && !raced) {
      raced = true
      // Another client writes two of them in the last moment, and deletes one.
      for (const index of [1, 2]) {
        const key = `${prefix}default/${lampName(index)}`
        const [entry] = data.read([key]).entries
        assert.ok(entry)
        const value = Buffer.from(
          Buffer.from(entry.value)
            .toString()
            .replace(/v1/, index === 1 ? 'v1' : 'v2'),
        )
        plain({ writes: [{ kind: 'put', key, value }], guards: [] })
      }
      plain({ writes: [{ kind: 'delete', key: `${prefix}default/${lampName(3)}` }], guards: [] })
    }
    const outcome = plain(commit)
    if (puts.length > 0 && outcome.outcome === 'committed') commits.push(puts.length)
    return outcome
  }
  const done = await reencode(fleet, { limit: 250 })
  assert.deepEqual([done.examined, done.migrated, done.alreadyCurrent, done.left], [250, 248, 1, 0])
  assert.deepEqual(fleet.stored(), { [v2]: 249 })
  assert.ok(commits.every((each) => each <= 100))
  // The ninety-seven that held, the one that was written again in v1, and the other two transactions.
  assert.deepEqual(
    commits.toSorted((a, b) => a - b),
    [1, 50, 97, 100],
  )
})

test('next to the data: with a dead conversion webhook objects are left, each with its reason', async () => {
  let isDead = false
  const outbound: Outbound = async ({ body }) => {
    if (isDead) throw new OutboundError('connection refused')
    const review = JSON.parse(utf8.decode(body))
    const { uid, desiredAPIVersion, objects } = review.request
    const convertedObjects = objects.map((each: object) => ({ ...each, apiVersion: desiredAPIVersion }))
    const response = { uid, result: { status: 'Success' }, convertedObjects }
    return { status: 200, headers: {}, body: utf8.encode(JSON.stringify({ ...review, response })) }
  }
  const clientConfig = { url: 'https://hook.example.dev/convert' }
  const conversion = {
    strategy: 'Webhook',
    webhook: { conversionReviewVersions: ['v1'], clientConfig },
  }
  const fleet = await switched('dead webhook', 5, { outbound, spec: { conversion } })
  isDead = true
  const left = await reencode(fleet)
  assert.deepEqual([left.outcome, left.migrated, left.left], ['Done', 0, 5])
  assert.deepEqual([...new Set(left.objects?.map(({ reason }) => reason))], ['ConversionFailed'])
  assert.match(left.objects?.[0]?.message ?? '', /connection refused/)
  isDead = false
  const done = await reencode(fleet)
  assert.deepEqual([done.migrated, done.left], [5, 0])
  assert.deepEqual(fleet.stored(), { [v2]: 5 })
})

test('next to the data: events are one resource, by whichever group they are asked about', async () => {
  const fleet = new MigrationFleet('events')
  await fleet.startServer('a')
  const involvedObject = { kind: 'ConfigMap', namespace: 'default', name: 'x' }
  const event = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'e' }, involvedObject }
  const made = await fleet.ask('POST', '/api/v1/namespaces/default/events', event)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const [core, other] = [
    await census(fleet, { resource: 'events' }),
    await census(fleet, { group: 'events.k8s.io', resource: 'events' }),
  ]
  assert.deepEqual(other, core)
  assert.deepEqual([core.total, core.agreedVersion, core.stale, core.proven], [1, 'v1', 0, true])
})

test('next to the data: an unknown resource is not found, and a malformed request is refused', async () => {
  const fleet = new MigrationFleet('refused')
  await fleet.startServer('a')
  const ask = async (kind: string, spec: object) => {
    const body = { apiVersion: 'strata.dev/v1alpha1', kind, spec }
    const answer = await fleet.ask(
      'POST',
      `${questions}/${kind.toLowerCase()}${kind.endsWith('s') ? 'es' : 's'}`,
      body,
    )
    return [answer.status, answer.body.message]
  }
  assert.deepEqual(await ask('StorageCensus', { group: 'example.dev', resource: 'things' }), [
    404,
    'this server does not know the resource things.example.dev',
  ])
  const [code, message] = await ask('StorageReencode', { resource: 'configmaps', limit: 6_000 })
  assert.equal(code, 422)
  assert.match(message, /spec.epoch.*spec.encodingVersion.*spec.limit/)
  const answer = await fleet.ask('GET', `${questions}/storagecensuses`)
  assert.equal(answer.status, 405)
})

test('next to the data: the store may forget what is being read', async () => {
  const fleet = await switched('compacted', 300)
  const { data } = fleet
  const list = data.list.bind(data)
  let pages = 0
  data.list = (range) => {
    if (range.prefix === prefix && range.limit !== undefined && ++pages === 2) {
      const value = Buffer.from('{}')
      data.commit({ writes: [{ kind: 'put', key: '/registry/strata.dev/ticks/x', value }], guards: [] })
      data.compact(data.revision)
    }
    return list(range)
  }
  await fleet.ask('POST', lampsPath(), { apiVersion: v1, kind: 'Lamp', metadata: { name: 'new' } })
  const seen = await census(fleet)
  assert.equal(seen.total, 301)
  assert.ok(pages > 3)
})

test('next to the data: who asks may do with the resource what is done, besides asking', async () => {
  const fleet = await switched('rights', 2)
  const rbac = 'rbac.authorization.k8s.io'
  const bind = async (name: string, rules: readonly object[]): Promise<void> => {
    const role = { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name }, rules }
    const binding = {
      ...{ apiVersion: `${rbac}/v1`, kind: 'ClusterRoleBinding', metadata: { name } },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
      subjects: [{ apiGroup: rbac, kind: 'User', name: 'mig' }],
    }
    for (const [plural, object] of [
      ['clusterroles', role],
      ['clusterrolebindings', binding],
    ] as const) {
      assert.equal((await fleet.ask('POST', `/apis/${rbac}/v1/${plural}`, object)).status, 201)
    }
    await fleet.simulation.run({ untilMs: fleet.simulation.nowMs + 1_000 })
  }
  const epoch = await epochOf(fleet)
  const as = async (kind: string, plural: string, spec: object): Promise<readonly unknown[]> => {
    const body = { apiVersion: 'strata.dev/v1alpha1', kind, spec: { ...lamps, ...spec } }
    const path = `${questions}/${plural}`
    const answer = await fleet.settle(fleet.send('POST', path, body, { 'impersonate-user': 'mig' }))
    return [answer.status, answer.body.message]
  }
  const takeCensus = () => as('StorageCensus', 'storagecensuses', {})
  const rewrite = () => as('StorageReencode', 'storagereencodes', { epoch, encodingVersion: v2 })
  const refused = (verb: string, resource: string, group: string) => [
    403,
    `${resource}.${group} is forbidden: User "mig" cannot ${verb} resource "${resource}" in API group "${group}" at the cluster scope`,
  ]
  assert.deepEqual(await takeCensus(), refused('create', 'storagecensuses', 'strata.dev'))
  const resources = ['storagecensuses', 'storagereencodes']
  await bind('asks', [{ apiGroups: ['strata.dev'], resources, verbs: ['create'] }])
  assert.deepEqual(await takeCensus(), refused('list', 'lamps', lamps.group))
  assert.deepEqual(await rewrite(), refused('patch', 'lamps', lamps.group))
  await bind('may', [{ apiGroups: [lamps.group], resources: ['lamps'], verbs: ['list', 'patch'] }])
  assert.deepEqual([(await takeCensus())[0], (await rewrite())[0]], [201, 201])
  assert.deepEqual(fleet.stored(), { [v2]: 2 })
})
