import assert from 'node:assert/strict'
import { test } from 'node:test'
import { definesTheSame } from './defines-the-same.ts'
import { condition, gadgetDefinition, gadgetNames } from './definition-for-test.ts'

const before = gadgetDefinition()

const cases: readonly {
  readonly name: string
  readonly change: Parameters<typeof gadgetDefinition>[0]
  readonly same: boolean
}[] = [
  { name: 'nothing', change: {}, same: true },
  { name: 'labels', change: { metadata: { labels: { a: 'b' } } }, same: true },
  { name: 'a finalizer', change: { metadata: { finalizers: ['example.org/x'] } }, same: true },
  { name: 'the revision', change: { metadata: { resourceVersion: '77' } }, same: true },
  { name: 'what has been stored', change: { status: { storedVersions: ['v2'] } }, same: true },
  {
    name: 'a condition that is no business of instances',
    change: {
      status: { conditions: [condition('Established'), condition('NonStructuralSchema', 'False')] },
    },
    same: true,
  },
  { name: 'anything in the spec', change: { metadata: { generation: 2 } }, same: false },
  { name: 'another object by the same name', change: { metadata: { uid: 'other' } }, same: false },
  {
    name: 'that it is being deleted',
    change: { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } },
    same: false,
  },
  {
    name: 'that it is established no more',
    change: { status: { conditions: [condition('Established', 'False')] } },
    same: false,
  },
  {
    name: 'the names that it was given',
    change: { status: { acceptedNames: { ...gadgetNames, shortNames: ['gg'] } } },
    same: false,
  },
]

for (const { name, change, same } of cases) {
  test(`definitions that differ by ${name} ${same ? 'define the same' : 'are distinguished'}`, () => {
    assert.equal(definesTheSame(before, gadgetDefinition(change)), same)
    assert.equal(definesTheSame(gadgetDefinition(change), before), same)
  })
}
