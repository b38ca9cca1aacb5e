import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CustomResourceDefinition, CustomResourceDefinitionNames } from './custom-resource-definition.ts'
import { decideEstablished, decideNames } from './decide-names.ts'
import { later, noNames, now, thingDefinition, thingNames } from './definition-for-test.ts'

const accepted = (names: CustomResourceDefinitionNames): CustomResourceDefinition =>
  thingDefinition({ names, status: { acceptedNames: names } })

const others = [accepted(thingNames)]

const cases: readonly {
  readonly name: string
  readonly asks: CustomResourceDefinitionNames
  readonly has?: CustomResourceDefinitionNames
  readonly others?: readonly CustomResourceDefinition[]
  readonly gets: CustomResourceDefinitionNames
  readonly reason: string
  readonly message?: string
}[] = [
  { name: 'all of its names', asks: thingNames, gets: thingNames, reason: 'NoConflicts' },
  {
    name: 'names that no other CRD has',
    asks: { plural: 'others', singular: 'other', kind: 'Other', listKind: 'OtherList' },
    others,
    gets: { plural: 'others', singular: 'other', kind: 'Other', listKind: 'OtherList' },
    reason: 'NoConflicts',
  },
  {
    name: 'a plural that is taken as a short name',
    asks: { plural: 'th', singular: 'other', kind: 'Other', listKind: 'OtherList' },
    others,
    gets: { plural: '', singular: 'other', kind: 'Other', listKind: 'OtherList' },
    reason: 'PluralConflict',
    message: '"th" is already in use',
  },
  {
    name: 'a singular that is taken as a plural',
    asks: { plural: 'others', singular: 'things', kind: 'Other', listKind: 'OtherList' },
    others,
    gets: { plural: 'others', kind: 'Other', listKind: 'OtherList' },
    reason: 'SingularConflict',
    message: '"things" is already in use',
  },
  {
    name: 'several short names that are taken',
    asks: {
      plural: 'others',
      singular: 'other',
      shortNames: ['o', 'th', 'thing', 'th'],
      kind: 'Other',
      listKind: 'OtherList',
    },
    others,
    gets: { plural: 'others', singular: 'other', kind: 'Other', listKind: 'OtherList' },
    reason: 'ShortNamesConflict',
    message: '["th" is already in use, "thing" is already in use]',
  },
  {
    name: 'a kind that is taken as a list kind',
    asks: { plural: 'others', singular: 'other', kind: 'ThingList', listKind: 'OtherList' },
    others,
    gets: { plural: 'others', singular: 'other', kind: '', listKind: 'OtherList' },
    reason: 'KindConflict',
    message: '"ThingList" is already in use',
  },
  {
    name: 'of several conflicts, tells the last one',
    asks: { plural: 'stuffs', singular: 'thing', shortNames: ['th'], kind: 'Thing', listKind: 'ThingList' },
    others,
    gets: { plural: 'stuffs', kind: '' },
    reason: 'ListKindConflict',
    message: '"ThingList" is already in use',
  },
  {
    name: 'keeps the short names that it has while the new ones are taken',
    asks: { ...thingNames, plural: 'others', singular: 'other', kind: 'Other', listKind: 'OtherList' },
    has: { plural: 'others', singular: 'other', shortNames: ['o'], kind: 'Other', listKind: 'OtherList' },
    others,
    gets: { plural: 'others', singular: 'other', shortNames: ['o'], kind: 'Other', listKind: 'OtherList' },
    reason: 'ShortNamesConflict',
    message: '"th" is already in use',
  },
  {
    name: 'its own plural, once accepted, is taken for its short names too',
    asks: { ...thingNames, shortNames: ['things'] },
    has: thingNames,
    gets: thingNames,
    reason: 'ShortNamesConflict',
    message: '"things" is already in use',
  },
  {
    name: 'new short names and categories',
    asks: { ...thingNames, shortNames: ['tg'], categories: ['all'] },
    has: thingNames,
    gets: { ...thingNames, shortNames: ['tg'], categories: ['all'] },
    reason: 'NoConflicts',
  },
]

for (const { name, asks, has = noNames, others: rest = [], gets, reason, message } of cases) {
  test(`names: ${name}`, () => {
    const status = decideNames(thingDefinition({ names: asks, status: { acceptedNames: has } }), rest, now)
    assert.deepEqual(status?.acceptedNames, gets)
    const ok = reason === 'NoConflicts'
    assert.deepEqual(status?.conditions, [
      {
        type: 'NamesAccepted',
        status: ok ? 'True' : 'False',
        reason,
        message: message ?? 'no conflicts found',
        lastTransitionTime: now,
      },
      {
        type: 'Established',
        status: 'False',
        reason: ok ? 'Installing' : 'NotAccepted',
        message: ok ? 'the initial names have been accepted' : 'not all names are accepted',
        lastTransitionTime: now,
      },
    ])
  })
}

const noConflicts = {
  type: 'NamesAccepted',
  status: 'True',
  reason: 'NoConflicts',
  message: 'no conflicts found',
  lastTransitionTime: now,
} as const
const installing = {
  type: 'Established',
  status: 'False',
  reason: 'Installing',
  message: 'the initial names have been accepted',
  lastTransitionTime: now,
} as const
const established = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
  lastTransitionTime: now,
} as const

test('what has the names that it asks for is left alone', () => {
  assert.equal(decideNames(accepted(thingNames), others, now), undefined)
})

test('a conflict that is already in the status is not reported again', () => {
  const asks = { ...thingNames, plural: 'others' }
  const first = decideNames(thingDefinition({ names: asks }), others, now)
  assert.ok(first)
  assert.equal(decideNames(thingDefinition({ names: asks, status: first }), others, later), undefined)
})

test('a name that becomes free is accepted then', () => {
  const asks = { ...thingNames, plural: 'others' }
  const status = decideNames(thingDefinition({ names: asks }), others, now)
  assert.ok(status)
  const second = decideNames(thingDefinition({ names: asks, status }), [], later)
  assert.deepEqual(second?.acceptedNames, asks)
  assert.deepEqual(second?.conditions, [
    { ...noConflicts, lastTransitionTime: later },
    // It was not established before and is not now: the time is that of the first decision.
    installing,
  ])
})

test('what is established stays so under the names that it has', () => {
  const asks = { ...thingNames, shortNames: ['x'] }
  const before = { acceptedNames: thingNames, conditions: [noConflicts, established] }
  const other = accepted({ plural: 'xs', singular: 'x', kind: 'X', listKind: 'XList' })
  const status = decideNames(thingDefinition({ names: asks, status: before }), [other], later)
  assert.deepEqual(status?.conditions?.[1], established)
  assert.equal(status?.conditions?.[0]?.reason, 'ShortNamesConflict')
  assert.deepEqual(status?.acceptedNames, thingNames)
})

test('names first, then established, once', () => {
  const fresh = thingDefinition()
  assert.equal(decideEstablished(fresh, now), undefined)
  const status = decideNames(fresh, [], now)
  assert.ok(status)
  const next = decideEstablished(thingDefinition({ status }), now)
  assert.deepEqual(next?.conditions, [noConflicts, established])
  assert.ok(next)
  assert.equal(decideEstablished(thingDefinition({ status: next }), later), undefined)
})

test('a webhook whose authority cannot be read keeps a definition from being served', () => {
  const webhook = { clientConfig: { url: 'https://x', caBundle: btoa('nonsense') } }
  const spec = { conversion: { strategy: 'Webhook', webhook } }
  const before = { conditions: [noConflicts, installing] }
  const status = decideEstablished(thingDefinition({ spec, status: before }), later)
  assert.deepEqual(status?.conditions?.[1], {
    ...installing,
    reason: 'InvalidCABundle',
    message: 'The conversion webhook CABundle is invalid',
  })
  assert.ok(status)
  assert.equal(decideEstablished(thingDefinition({ spec, status }), later), undefined)
})
