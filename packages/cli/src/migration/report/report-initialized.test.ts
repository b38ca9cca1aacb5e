import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkForms } from '../../output/report-forms-for-test.ts'
import { reportInitialized } from './report-initialized.ts'

test('controllers init, in every form', () => {
  const beacons = { group: 'lighthouse.example.dev', resource: 'beacons' }
  const result = {
    definitions: [{ name: 'storagestates.migration.k8s.io', did: 'create' as const }],
    created: [{ ...beacons, version: 'v1', migration: 'lighthouse.example.dev.v1.beacons-x7' }],
    skipped: [{ group: '', resource: 'secrets', because: 'a migration is under way' }],
    unseen: ['away.example.dev/v1'],
  }
  const { table, json, junit } = checkForms(reportInitialized(result, false))
  assert.match(
    table,
    /^beacons\.lighthouse\.example\.dev +created +lighthouse\.example\.dev\.v1\.beacons-x7$/m,
  )
  assert.match(table, /^secrets +skipped +a migration is under way$/m)
  assert.deepEqual(JSON.parse(json), result)
  assert.match(junit, /tests="4" failures="0" errors="1"/)
  const nothing = { definitions: [], created: [], skipped: [], unseen: [] }
  assert.match(checkForms(reportInitialized(nothing, true)).table, /^no resource may be stored/)
})
