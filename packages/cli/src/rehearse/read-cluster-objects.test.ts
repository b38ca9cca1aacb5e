import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { playPath, type Subject } from '@strata/rehearsal'
import { startCluster } from '@strata/testing'
import { utf8 } from '@strata/world'
import { readCrds } from '../crd/documents/index.ts'
import { readClusterObjects } from './read-cluster-objects.ts'

const crds = join(import.meta.dirname, '../../../../examples/rehearsals/crds')
const never = new AbortController().signal

async function subjectOf(...releases: readonly string[]): Promise<Subject & { readonly kind: 'crds' }> {
  const read = releases.map(async (release) => {
    const documents = await readCrds([join(crds, `${release}.yaml`)])
    return [release, documents.map(({ crd }) => crd)] as const
  })
  return { kind: 'crds', releases: new Map(await Promise.all(read)), conversions: {} }
}

const widget = (name: string): string =>
  `{apiVersion: scenes.example.dev/v1beta1, kind: Widget, metadata: {name: ${name}}, spec: {size: 1}}`

test('rehearse: a path that begins with a cluster meets its CRDs and objects', async () => {
  await using cluster = await startCluster({ crds: join(crds, 'v1.0.yaml') })
  await cluster.apply(['a', 'b', 'c'].map(widget).join('\n---\n'))
  await cluster.apply(await readFile(join(crds, 'v1.1.yaml'), 'utf8'))
  const subject = await subjectOf('v1.1', 'v1.2')
  const objects = await readClusterObjects(cluster.client, 2, subject, never)
  const stored = objects.entries
    .slice(1)
    .map(({ key, value }) => [key, JSON.parse(utf8.decode(value)).apiVersion])
  assert.deepEqual(stored, [
    ['/registry/scenes.example.dev/widgets/default/a', 'scenes.example.dev/v1beta1'],
    ['/registry/scenes.example.dev/widgets/default/b', 'scenes.example.dev/v1'],
  ])
  assert.deepEqual(
    objects.reasons.map(({ level, rule }) => [level, rule]),
    [
      ['note', 'stored-unknown'],
      ['could not see', 'not-all-taken'],
    ],
  )
  const { steps } = await playPath({
    ...{ server: 'strata', servers: 1, coordination: 'report', interleavings: 0, subject },
    steps: [
      { deed: { do: 'release', to: 'v1.1', late: [] }, objects },
      { deed: { do: 'upgrade', to: 'v1.2', late: [] } },
    ],
  })
  assert.deepEqual(
    steps.map(({ verdict }) => verdict),
    ['could not see', 'refused'],
  )
})

test('rehearse: a cluster without the CRD could not be seen', async () => {
  await using cluster = await startCluster()
  const { entries, reasons } = await readClusterObjects(cluster.client, 2, await subjectOf('v1.0'), never)
  assert.deepEqual(entries, [])
  assert.deepEqual(
    reasons.map(({ level, rule }) => [level, rule]),
    [['could not see', 'not-in-cluster']],
  )
})
