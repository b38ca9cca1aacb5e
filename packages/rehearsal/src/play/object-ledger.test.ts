import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RehearsedKind } from '../path/rehearsed-kind.ts'
import { ObjectLedger, type View } from './object-ledger.ts'

const kind = { name: 'lamps' } as RehearsedKind
const lamp = (spec: object) => ({ metadata: { name: 'a' }, spec })
const both = { size: 1, colour: 'red' }

interface Look extends Partial<View> {
  readonly spec: object
}

/** Looks at an object that was created in v1 with both fields; the losses that the last look finds. */
const cases: ReadonlyArray<[name: string, looks: readonly Look[], losses: readonly string[]]> = [
  ['what is as it was', [{ spec: both }], []],
  ['a field that is gone', [{ spec: { size: 1 } }], ['lost spec.colour']],
  ['a loss is told once', [{ spec: { size: 1 } }, { spec: { size: 1 } }], []],
  ['a field with another value', [{ spec: { ...both, size: 2 } }], ['changed spec.size']],
  ['a field that is new', [{ spec: { ...both, more: 1 } }], []],
  [
    'another version that has other names',
    [{ version: 'v2', isRenamedOnly: false, spec: { length: 1 } }],
    [],
  ],
  [
    'another version that hides a field',
    [{ version: 'v2', isStorage: false, spec: { size: 1 } }],
    ['lost spec.colour'],
  ],
  [
    'a version that hid a field and is stored now',
    [
      { version: 'v2', isStorage: false, spec: { size: 1 } },
      { version: 'v2', spec: { size: 1 } },
    ],
    ['lost spec.colour'],
  ],
]
for (const [name, looks, losses] of cases) {
  test(`ledger: ${name}`, () => {
    const ledger = new ObjectLedger()
    ledger.add({ kind, namespace: 'default', name: 'a', bornIn: 1, isTouched: false }, 'v1', lamp(both))
    const [object] = ledger.of(kind)
    assert.ok(object)
    const seen = looks.map(({ spec, ...view }) =>
      ledger.see(object, { version: 'v1', isStorage: true, isRenamedOnly: true, ...view }, lamp(spec)),
    )
    assert.deepEqual(
      seen.at(-1)?.map(({ what, path }) => `${what} ${path}`),
      losses,
    )
  })
}
