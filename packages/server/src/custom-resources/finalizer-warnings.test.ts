import assert from 'node:assert/strict'
import { test } from 'node:test'
import { finalizerWarnings } from './finalizer-warnings.ts'

const why = 'to avoid accidental conflicts with other finalizer writers'
const rows: ReadonlyArray<[what: string, next: string[], stored: string[] | undefined, warnings: string[]]> =
  [
    ['none', [], undefined, []],
    ['a name with a path', ['example.dev/x'], undefined, []],
    ['a standard one', ['foregroundDeletion'], undefined, []],
    [
      'no domain',
      ['x'],
      undefined,
      [`metadata.finalizers: "x": prefer a domain-qualified finalizer name ${why}`],
    ],
    [
      'no path',
      ['x.example.dev'],
      [],
      [
        `metadata.finalizers: "x.example.dev": prefer a domain-qualified finalizer name including a path (/) ${why}`,
      ],
    ],
    ['one that was there before', ['x'], ['x'], []],
  ]
for (const [what, next, stored, warnings] of rows) {
  test(`finalizers of custom resources: ${what}`, () => {
    const before = stored && { metadata: { finalizers: stored } }
    assert.deepEqual(finalizerWarnings({ metadata: { finalizers: next } }, before), warnings)
  })
}
