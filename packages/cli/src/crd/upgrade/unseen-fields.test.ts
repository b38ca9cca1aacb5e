import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CustomResourceDefinition, versionsOf } from '@strata/api'
import { type CrdForTest, crdForTest } from '../plan/crd-for-test.ts'
import { decideCrdPlan } from '../plan/decide-crd-plan.ts'
import { unseenFields } from './unseen-fields.ts'

const fields = (...names: readonly string[]) => ({
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: Object.fromEntries(names.map((each) => [each, { type: 'string' }])),
        },
      },
    },
  },
})

function lamps(text: CrdForTest, v1: object, v2: object): CustomResourceDefinition {
  const crd = crdForTest(text)
  const versions = versionsOf(crd).map((each) => ({ ...each, ...(each.name === 'v1' ? v1 : v2) }))
  return { ...crd, spec: { ...crd.spec, versions } }
}

const rows: readonly [name: string, live: CrdForTest, v2: object, fields: RegExp | undefined][] = [
  [
    'a stored version that is not served has a field of its own',
    { versions: 'v1- v2*', stored: ['v1', 'v2'] },
    fields('color'),
    /v1, which is not served.*spec\.watts/,
  ],
  ['it is served', { versions: 'v1 v2*', stored: ['v1', 'v2'] }, fields('color'), undefined],
  [
    'both versions have the field',
    { versions: 'v1- v2*', stored: ['v1', 'v2'] },
    fields('color', 'watts'),
    undefined,
  ],
  [
    'a webhook converts',
    { versions: 'v1- v2*', stored: ['v1', 'v2'], webhook: 'https://h.example.dev' },
    fields('color'),
    undefined,
  ],
]
for (const [name, text, v2, expected] of rows) {
  test(`fields that cannot be compared: ${name}`, () => {
    const live = lamps(text, fields('color', 'watts'), v2)
    const plan = decideCrdPlan({ live, wanted: crdForTest({ versions: 'v2*' }) })
    const found = unseenFields(live, plan)
    assert.equal(found.length, expected === undefined ? 0 : 1)
    if (expected !== undefined) assert.match(found[0] ?? '', expected)
  })
}
