import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type MigrationCondition, viewOf } from '@strata/insight'
import { decideInTreeState, type InTreeState } from './in-tree-state.ts'

const is = (type: string, status = 'True', message = ''): MigrationCondition => ({ type, status, message })
const migration = (uid: string, conditions: readonly MigrationCondition[], resourceVersion = '') =>
  viewOf('storagemigration.k8s.io', {
    metadata: { name: `m-${uid}`, uid },
    spec: { resource: { group: 'light.example.dev', resource: 'lamps' } },
    status: { conditions, ...(resourceVersion === '' ? {} : { resourceVersion }) },
  })
const other = migration('2', [is('Running')])

type Row = [
  name: string,
  conditions: readonly MigrationCondition[],
  want: InTreeState['kind'],
  more?: { resourceVersion?: string; others?: readonly ReturnType<typeof migration>[]; text?: RegExp },
]
const rows: readonly Row[] = [
  ['new', [], 'untouched'],
  ['new, and another one of the resource runs', [], 'queued', { others: [other], text: /m-2$/ }],
  ['another one waits too', [], 'untouched', { others: [migration('2', [])] }],
  ['taken', [is('Running')], 'running', { text: /has taken it/ }],
  [
    'running, as 1.36 says it',
    [is('Running', 'True', 'The migration is running')],
    'running',
    {
      resourceVersion: '12',
      text: /before resourceVersion 12; this release reports no progress, and begins once /,
    },
  ],
  [
    'running, as 1.37 says it',
    [is('Running', 'True', 'The migration is running, 3/9 objects not yet migrated')],
    'running',
    { resourceVersion: '12', text: /before resourceVersion 12: 3\/9 objects not yet migrated$/ },
  ],
  ['of 1.34, which says Running late', [], 'running', { resourceVersion: '12' }],
  ['failed, and yet to cut storedVersions', [is('Running'), is('Failed')], 'closing'],
  ['succeeded, and yet to cut storedVersions', [is('Running'), is('Succeeded')], 'closing'],
  ['failed', [is('Running', 'False'), is('Failed', 'True', 'why')], 'ended', { text: /^why$/ }],
  ['succeeded', [is('Running', 'False'), is('Succeeded')], 'ended'],
]
for (const [name, conditions, want, { resourceVersion, others = [], text = /^/ } = {}] of rows) {
  test(`a migration of upstream's: ${name}`, () => {
    const state = decideInTreeState(migration('1', conditions, resourceVersion), others)
    assert.equal(state.kind, want)
    const said =
      'text' in state
        ? state.text
        : 'behind' in state
          ? state.behind
          : 'message' in state
            ? state.message
            : ''
    assert.match(said, text)
  })
}
