import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { playPath } from '@strata/rehearsal'
import { parse } from 'yaml'
import { boltFile, type Change, withChecksum } from '../etcd-file/bolt-file-for-test.ts'
import { CliError } from '../output/errors.ts'
import { loadPath } from './load-path.ts'

const crds = join(import.meta.dirname, '../../../../examples/rehearsals/crds')
const crdKey = '/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.scenes.example.dev'

/** The CRD of a cluster that was born with v1beta1. */
async function storedCrd(): Promise<Change> {
  const crd = parse(await readFile(join(crds, 'v1.1.yaml'), 'utf8'))
  const metadata = { ...crd.metadata, uid: 'old', generation: 2, creationTimestamp: '2024-01-01T00:00:00Z' }
  const status = { storedVersions: ['v1beta1', 'v1'], conditions: [], acceptedNames: crd.spec.names }
  return { key: crdKey, value: JSON.stringify({ ...crd, metadata, status }) }
}

const widget = (name: string, version: string): Change => ({
  key: `/registry/scenes.example.dev/widgets/team-a/${name}`,
  value: JSON.stringify({
    ...{ apiVersion: `scenes.example.dev/${version}`, kind: 'Widget' },
    metadata: { name, namespace: 'team-a', uid: name, creationTimestamp: '2024-01-01T00:00:00Z' },
    spec: { size: 1, colour: 'red' },
  }),
})

async function withSnapshot(
  changes: readonly Change[],
  body: (file: string) => Promise<void>,
  limit = 10,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'strata-rehearse-'))
  try {
    await writeFile(join(folder, 'etcd.db'), withChecksum(boltFile(changes)))
    const file = join(folder, 'path.yaml')
    await writeFile(
      file,
      `interleavings: 0
crds: { v1.1: ${crds}/v1.1.yaml, v1.2: ${crds}/v1.2.yaml }
steps:
  - { release: v1.1, objects: { snapshot: etcd.db, limit: ${limit} } }
  - { upgrade: v1.2 }
  - { migrate: all }
  - { prune: all }
  - { upgrade: v1.2 }
`,
    )
    await body(file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

test('rehearse: a path that begins with a snapshot meets what the cluster has stored', async () => {
  const others: Change[] = [
    { key: '/registry/pods/default/a', value: '{}' },
    { key: 'other', value: 'x' },
  ]
  const changes = [
    await storedCrd(),
    widget('a', 'v1beta1'),
    widget('b', 'v1'),
    widget('gone', 'v1'),
    ...others,
  ]
  const deleted = { key: widget('gone', 'v1').key }
  await withSnapshot([...changes, deleted], async (file) => {
    const { path } = await loadPath(file)
    const { steps } = await playPath(path)
    const [first, second] = steps
    assert.deepEqual(
      steps.map(({ verdict }) => verdict),
      ['safe', 'refused', 'safe', 'safe', 'safe'],
    )
    assert.deepEqual(first?.stored[0]?.storedVersions, ['v1beta1', 'v1'])
    assert.match(second?.reasons[0]?.message ?? '', /storedVersions\[0\]: Invalid value: "v1beta1"/)
    assert.deepEqual(steps.at(-1)?.stored[0]?.versions, { 'scenes.example.dev/v1': 2 })
  })
})

const unseen: ReadonlyArray<[name: string, changes: () => Promise<readonly Change[]>, message: RegExp]> = [
  ['a CRD that is not there', async () => [widget('a', 'v1')], /has no CRD widgets\.scenes\.example\.dev/],
  [
    'an object that is encrypted',
    async () => [await storedCrd(), { key: widget('a', 'v1').key, value: 'k8s:enc:aescbc:v1:one:x' }],
    /1 of 1 objects .* encrypted or damaged/,
  ],
  [
    'more objects than the limit',
    async () => [await storedCrd(), widget('a', 'v1'), widget('b', 'v1'), widget('c', 'v1')],
    /2 of 3 objects .* were taken/,
  ],
]
for (const [name, changes, message] of unseen) {
  test(`rehearse: of a snapshot could not be seen: ${name}`, async () => {
    await withSnapshot(
      await changes(),
      async (file) => {
        const { path } = await loadPath(file)
        const { objects } = path.steps[0] ?? {}
        assert.ok(typeof objects === 'object' && 'reasons' in objects)
        assert.deepEqual(
          objects.reasons.map(({ level }) => level),
          ['could not see'],
        )
        assert.match(objects.reasons[0]?.message ?? '', message)
      },
      2,
    )
  })
}

test('rehearse: a snapshot of something else is refused', async () => {
  await withSnapshot([{ key: 'other', value: 'x' }], async (file) => {
    await assert.rejects(loadPath(file), (error) => {
      assert.ok(error instanceof CliError)
      assert.match(error.message, /snapshot .*etcd\.db: it has no keys below \/registry/)
      return true
    })
  })
})
