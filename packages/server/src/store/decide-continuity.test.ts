import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  decideContinuity,
  type KnownTimeline,
  type ReplacementSign,
  type ShownTimeline,
} from './decide-continuity.ts'

const known: KnownTimeline = { highest: 100, incarnation: 'i1', ownRevision: 90 }
const cases: readonly (readonly [
  name: string,
  known: KnownTimeline,
  shown: ShownTimeline,
  sign: ReplacementSign | undefined,
])[] = [
  ['the same revision', known, { revision: 100 }, undefined],
  ['a newer revision', known, { revision: 101 }, undefined],
  ['an older revision', known, { revision: 99 }, 'revision'],
  ['the same incarnation', known, { revision: 100, incarnation: { value: 'i1' } }, undefined],
  [
    'another incarnation, at a newer revision',
    known,
    { revision: 900, incarnation: { value: 'i2' } },
    'incarnation',
  ],
  [
    'no incarnation where one was known',
    known,
    { revision: 900, incarnation: { value: undefined } },
    'incarnation',
  ],
  [
    'an incarnation where none was known',
    { ...known, incarnation: undefined },
    { revision: 100, incarnation: { value: 'i1' } },
    undefined,
  ],
  ['the own key as it was written', known, { revision: 100, ownRevision: 90 }, undefined],
  ['the own key changed by another', known, { revision: 100, ownRevision: 95 }, undefined],
  [
    'an older revision with another incarnation',
    known,
    { revision: 99, incarnation: { value: 'i2' } },
    'revision',
  ],
  ['the own key as it was before', known, { revision: 900, ownRevision: 80 }, 'own-write'],
]
for (const [name, before, shown, sign] of cases) {
  test(`continuity: ${name} ${sign === undefined ? 'follows' : 'tells of another timeline'}`, () => {
    assert.equal(decideContinuity(before, shown)?.sign, sign)
  })
}
