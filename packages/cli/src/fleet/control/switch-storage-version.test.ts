import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeSwitch } from './switch-storage-version.ts'

const cases: readonly [from: string, to: string, want: string][] = [
  [
    'v1',
    'v2',
    'lamps.light.example.dev: v1 → v2 from now on; what is stored in v1 stays v1 until it is migrated',
  ],
  ['v2', 'v2', 'lamps.light.example.dev: v2 is the storage version already'],
]
for (const [from, to, want] of cases)
  test(`switch: ${want}`, () => assert.equal(describeSwitch('lamps.light.example.dev', from, to), want))
