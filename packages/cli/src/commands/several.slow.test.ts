import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeClock } from '@strata/world/node'
import { type Answer, type Answers, discovery, FakeCluster, ok, refusal } from './fake-cluster-for-test.ts'

const kinds = [
  { name: 'configmaps', kind: 'ConfigMap' },
  { name: 'secrets', kind: 'Secret' },
]
const strata = discovery([
  { group: '', version: 'v1', resources: kinds },
  {
    ...{ group: 'strata.dev', version: 'v1alpha1' },
    resources: [
      { name: 'storageagreements', kind: 'StorageAgreement' },
      { name: 'storagecensuses', kind: 'StorageCensus' },
    ],
  },
])
const elsewhere = discovery([{ group: '', version: 'v1', resources: kinds }])

const agreement = (resource: string): Answer => {
  const conditions = ['AllEncodingVersionsEqual', 'AllServersReported', 'Fenced']
  return ok({
    ...{ apiVersion: 'strata.dev/v1alpha1', kind: 'StorageAgreement', spec: { group: '', resource } },
    metadata: { name: `core.${resource}`, uid: 'u', resourceVersion: '1' },
    status: {
      ...{ epoch: 1, agreedVersion: 'v1', encodings: ['v1 identity f strict'], servers: [] },
      conditions: conditions.map((type) => ({ type, status: 'True' })),
    },
  })
}
const counted: Answer = ok({
  ...{ apiVersion: 'strata.dev/v1alpha1', kind: 'StorageCensus', metadata: {}, spec: {} },
  status: {
    ...{ resourceVersion: '5', total: 3, encodings: [{ encodingVersion: 'v1', count: 3 }], unreadable: 0 },
    ...{ epoch: 1, agreedVersion: 'v1', fenced: true, recordUID: 'u', stale: 0, proven: true },
  },
})

/** Strata, where what is stored of each resource is read as a test says. */
function reading(census: (resource: string) => Answer): Answers {
  return (method, path, body) => {
    const [, resource] = /\/storageagreements\/core\.(\w+)$/.exec(path) ?? []
    if (resource !== undefined) return agreement(resource)
    const { spec } = body as { spec?: { resource: string } }
    if (path.endsWith('/storagecensuses')) return census(spec?.resource ?? '')
    return strata(method, path, body)
  }
}

for (const [command, row] of [
  ['verify', /^secrets +not seen +- +\?$/m],
  ['census', /^secrets +\? +\? +\? +not seen$/m],
] as const) {
  test(`${command}: one that cannot be read is named with the reason, and all others are reported`, async (t) => {
    const census = (resource: string): Answer => (resource === 'secrets' ? refusal(400, 'disk') : counted)
    const cluster = await FakeCluster.start(t, reading(census))
    const { code, said } = await cluster.run([command, 'secrets', 'configmaps'])
    assert.equal(code, 5, said)
    assert.match(said, row)
    assert.match(said, /^secrets: .*it could not be read: the server answered 400 .*disk/m)
    assert.match(said, /^configmaps .*(?:proven|current version)/m)
    const json = JSON.parse((await cluster.run([command, 'secrets', 'configmaps', '-o', 'json'])).said)
    const verdicts = json.resources.map((each: { verdict: string }) => each.verdict)
    assert.deepEqual(verdicts, ['not seen', 'proven'])
  })

  test(`${command}: what may pass is asked again, and said`, async (t) => {
    let times = 0
    const census = (resource: string): Answer =>
      resource === 'secrets' && ++times < 3 ? refusal(503, 'no leader') : counted
    const cluster = await FakeCluster.start(t, reading(census))
    const { code, said, warned } = await cluster.run([command, 'secrets', 'configmaps'])
    assert.equal(code, 0, said)
    assert.equal(warned, 'secrets: waiting: no leader')
  })
}

test('census: a resource whose CRD is deleted is counted by its full name, as long as its record is there', async (t) => {
  const gone = 'lamps.light.example.dev'
  const asked: unknown[] = []
  const cluster = await FakeCluster.start(t, (method, path, body) => {
    if (path.endsWith('/storageagreements/light.example.dev.lamps')) {
      return ok({
        ...{ apiVersion: 'strata.dev/v1alpha1', kind: 'StorageAgreement' },
        ...{ metadata: { name: 'light.example.dev.lamps', uid: 'u', resourceVersion: '1' } },
        spec: { group: 'light.example.dev', resource: 'lamps' },
        status: { epoch: 4, encodings: [], servers: [], conditions: [] },
      })
    }
    if (!path.endsWith('/storagecensuses')) return strata(method, path, body)
    asked.push((body as { spec?: unknown }).spec)
    return ok({
      ...{ apiVersion: 'strata.dev/v1alpha1', kind: 'StorageCensus', metadata: {}, spec: {} },
      status: { resourceVersion: '5', total: 0, encodings: [], unreadable: 0, proven: true },
    })
  })
  const { code, said } = await cluster.run(['census', gone])
  assert.equal(code, 0, said)
  assert.match(said, /^lamps\.light\.example\.dev: proven: no object is stored, and no server writes it$/m)
  // The name of the record names it too.
  assert.equal((await cluster.run(['census', 'light.example.dev.lamps'])).code, 0)
  const question = { group: 'light.example.dev', resource: 'lamps', maxObjects: 10 }
  assert.deepEqual(asked, [question, question])
  await assert.rejects(cluster.run(['census', 'others.light.example.dev']), /is not served/)
  await assert.rejects(cluster.run(['verify', gone]), /is not served/)
})

test('verify: of many that do not answer, one is waited for', async (t) => {
  let asked = 0
  const cluster = await FakeCluster.start(
    t,
    reading((resource) => {
      if (resource === 'configmaps') asked++
      return refusal(503, 'no leader')
    }),
  )
  const { code } = await cluster.run(['verify', 'secrets', 'configmaps'])
  assert.deepEqual([code, asked], [5, 1])
})

test('verify: Ctrl-C in the middle: what was read until then is printed, and the exit code is 130', async (t) => {
  const stop = new AbortController()
  const census = (resource: string): Answer => {
    if (resource === 'configmaps') return counted
    stop.abort(new Error('Ctrl-C'))
    return 'hang'
  }
  const cluster = await FakeCluster.start(t, reading(census))
  const { code, said, warned } = await cluster.run(['verify', 'configmaps', 'secrets'], {
    signal: stop.signal,
  })
  assert.equal(code, 130, said)
  assert.match(said, /^configmaps +proven/m)
  assert.equal(warned, 'stopped: 1 of 2 resources were read')
})

test('migrate --all: where everything is left alone nothing is known, and it is said', async (t) => {
  const cluster = await FakeCluster.start(t, elsewhere)
  for (const form of ['table', 'json']) {
    const { code, warned } = await cluster.run(['migrate', '--all', '-o', form])
    assert.equal(code, 6)
    assert.match(warned, /^nothing was migrated: .* none of 2 resources publishes it/m)
  }
})

test('verify --all: where there is nothing to look at nothing is known, and it is said', async (t) => {
  const cluster = await FakeCluster.start(t, discovery([{ group: '', version: 'v1', resources: [] }]))
  for (const command of ['verify', 'census', 'migrate']) {
    const { code, warned } = await cluster.run([command, '--all'])
    assert.equal(code, 6, command)
    assert.match(warned, /^nothing was checked, so nothing is known/)
  }
})

test('check: Ctrl-C ends it with 130, as everywhere', async (t) => {
  const stop = new AbortController()
  const cluster = await FakeCluster.start(t, () => {
    stop.abort(new Error('Ctrl-C'))
    return 'hang'
  })
  await assert.rejects(cluster.run(['check', '--to', 'x'], { signal: stop.signal }), { exitCode: 130 })
})

test('check: a bug is shown as one, and not as a cluster that could not be asked', async (t) => {
  const wallMs = (): number => {
    throw new TypeError('a bug')
  }
  const cluster = await FakeCluster.start(t, elsewhere)
  const world = { clock: { ...nodeClock, wallMs } }
  await assert.rejects(cluster.run(['check', '--to', 'x'], { world }), TypeError)
})
