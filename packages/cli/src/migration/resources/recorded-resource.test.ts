import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GroupResource } from '@strata/api'
import { parseFullName } from './recorded-resource.ts'

const rows: readonly [name: string, want: GroupResource | undefined][] = [
  ['lamps.light.example.dev', { group: 'light.example.dev', resource: 'lamps' }],
  ['lamps.example.dev', { group: 'example.dev', resource: 'lamps' }],
  ['lamps.dev', undefined],
  ['lamps', undefined],
  ['.light.example.dev', undefined],
  ['', undefined],
]
for (const [name, want] of rows) {
  test(`recorded resources: ${JSON.stringify(name)} is ${want ? `${want.resource} of ${want.group}` : 'no full name'}`, () =>
    assert.deepEqual(parseFullName(name), want))
}
