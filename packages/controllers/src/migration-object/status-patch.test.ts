import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DiscoveredResource } from '@strata/client'
import { type MigrationObject, migrationGroups, viewOf } from '@strata/insight'
import { decideMigrationKinds } from '../migration-runner/migration-watches.ts'
import { statusPatch } from './status-patch.ts'

const metadata = { name: 'm', uid: 'u', resourceVersion: '7' }
const stage = { kind: 'succeeded' } as const

test('status: what is no more is taken away, also within what a merge patch would add to', () => {
  const target = { how: 'record', epoch: 3, epochResourceVersion: '9' } as const
  const view = viewOf('migration.k8s.io', { metadata, status: { target, total: 9, continueToken: 't' } })
  const progress = { target: { how: 'definition' }, total: 9 } as const
  assert.deepEqual(statusPatch(view, { stage, progress }, 'now'), {
    conditions: [
      {
        ...{ type: 'Succeeded', status: 'True', reason: 'MigrationSucceeded' },
        ...{ message: 'Migration completed', lastUpdateTime: 'now' },
      },
    ],
    target: { how: 'definition', epoch: null, epochResourceVersion: null },
    total: 9,
    continueToken: null,
  })
})

test('status: progress that is not written stays', () => {
  const view = viewOf('migration.k8s.io', { metadata, status: { total: 9 } })
  assert.deepEqual(Object.keys(statusPatch(view, { stage }, 'now')), ['conditions'])
})

for (const group of migrationGroups) {
  test(`status: ${group}: what is waited for can be read back, and goes when it is over`, () => {
    const counts = { left: 3, total: 3 }
    const progress = { total: 3 }
    const patched = (status: MigrationObject['status'], waitingFor?: string) => {
      const running = {
        kind: 'running',
        counts,
        ...(waitingFor === undefined ? {} : { waitingFor }),
      } as const
      const view = viewOf(group, { metadata, ...(status ? { status } : {}) })
      return statusPatch(view, { stage: running, progress }, 'now') as { readonly waitingFor?: string | null }
    }
    const waiting = patched({}, 'not served: a; b')
    assert.equal(waiting.waitingFor, 'not served: a; b')
    const still = patched({ waitingFor: 'not served: a; b' }, 'not served: a; b')
    assert.equal(still.waitingFor, 'not served: a; b')
    assert.equal(patched({ waitingFor: 'not served: a; b' }).waitingFor, null)
    assert.equal(patched({}).waitingFor, undefined)
  })
}

test('view: progress stands in an annotation where the server does not keep it in the status', () => {
  const noted = { target: { how: 'definition' }, total: 9 }
  const annotations = { 'strata.dev/progress': JSON.stringify(noted) }
  const status = { conditions: [{ type: 'Running', status: 'True' }] }
  const view = viewOf('migration.k8s.io', { metadata: { ...metadata, annotations }, status })
  assert.deepEqual([view.progress, view.keepsProgress, view.phase], [noted, false, 'running'])
  for (const text of ['', 'null', '{', '7']) {
    const odd = { ...metadata, annotations: { 'strata.dev/progress': text } }
    assert.deepEqual(viewOf('migration.k8s.io', { metadata: odd }).progress, {}, text)
  }
  const kept = { ...status, target: { how: 'record' }, total: 3 } as const
  const { progress } = viewOf('migration.k8s.io', { metadata: { ...metadata, annotations }, status: kept })
  assert.deepEqual(progress, { target: { how: 'record' }, total: 3 }, 'the status is newer')
})

const kind = (
  group: string,
  versionName: string,
  verbs = ['list', 'watch', 'patch'],
): DiscoveredResource => ({
  ...{ group, versionName, verbs, resource: 'storageversionmigrations', namespaced: false },
  kind: 'StorageVersionMigration',
})
test('kinds: of each group the version that the server prefers, if it can be followed', () => {
  const chosen = (...served: readonly DiscoveredResource[]) =>
    decideMigrationKinds(served).map((each) => `${each.group}/${each.versionName}`)
  assert.deepEqual(chosen(), [])
  assert.deepEqual(
    chosen(kind('storagemigration.k8s.io', 'v1'), kind('storagemigration.k8s.io', 'v1beta1')),
    ['storagemigration.k8s.io/v1'],
  )
  assert.deepEqual(
    chosen(
      kind('storagemigration.k8s.io', 'v1beta1'),
      kind('migration.k8s.io', 'v1alpha1'),
      kind('other.dev', 'v1'),
    ),
    ['migration.k8s.io/v1alpha1', 'storagemigration.k8s.io/v1beta1'],
  )
  assert.deepEqual(chosen(kind('storagemigration.k8s.io', 'v1', ['list'])), [])
})
