import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideKeptFields, sentFields } from './decide-kept-fields.ts'
import { OwnershipTally } from './ownership.ts'

const group = 'light.example.dev'
const isDead = (version: string): boolean => version === 'v1alpha1'
const entry = (apiVersion: string, manager = 'm', subresource?: string) => ({
  ...{ apiVersion, manager, operation: 'Apply', fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': {} } },
  ...(subresource === undefined ? {} : { subresource }),
})
const dead = entry(`${group}/v1alpha1`)
const alive = entry(`${group}/v1`)

const rows: readonly [name: string, fields: unknown, kept: unknown[], dropped: number][] = [
  ['no managedFields', undefined, [], 0],
  ['something else than a list', {}, [], 0],
  ['only versions that are alive', [alive], [alive], 0],
  ['the entries that stay are as they were', [dead, alive], [alive], 1],
  ['an entry of a subresource goes too', [entry(`${group}/v1alpha1`, 'm', 'status'), alive], [alive], 1],
  ['nothing is left', [dead], [], 1],
  [
    'the same version of another group stays',
    [entry('autoscaling/v1alpha1')],
    [entry('autoscaling/v1alpha1')],
    0,
  ],
  [
    'a group that only begins alike stays',
    [entry('light.example.devx/v1alpha1')],
    [entry('light.example.devx/v1alpha1')],
    0,
  ],
  ['what cannot be read stays', [null, 7, {}, dead], [null, 7, {}], 1],
]
for (const [name, fields, kept, dropped] of rows) {
  test(`kept fields: ${name}`, () => {
    const decision = decideKeptFields(fields, group, isDead)
    assert.deepEqual([decision.kept, decision.dropped.length], [kept, dropped])
  })
}

test('kept fields: an empty list is sent as one empty entry, which servers take for "nothing is owned"', () => {
  assert.deepEqual([sentFields([]), sentFields([alive])], [[{}], [alive]])
})

test('ownership: each manager is counted once per object', () => {
  const owner = { version: 'v1alpha1', manager: 'gitops', operation: 'Apply', subresource: '' }
  const tally = new OwnershipTally()
  tally.add([owner, owner, { ...owner, subresource: 'status' }])
  tally.add([owner])
  tally.add([])
  assert.equal(tally.affected, 2)
  assert.deepEqual(tally.list(), [
    { ...owner, objects: 2 },
    { ...owner, subresource: 'status', objects: 1 },
  ])
})
