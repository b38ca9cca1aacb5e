import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type MigrationObject, viewOf } from '@strata/insight'
import { recordOf } from '../../live/observed-for-test.ts'
import { actionsOn } from './card-actions.ts'
import { decideCards, type MigrationCard } from './migration-cards.ts'

const record = recordOf(
  'things',
  { a: 'v2' },
  {
    persisted: ['v2', 'v1'].map((version, index) => ({
      ...{ encodingVersion: `example.dev/${version}`, writeKey: 'identity', epoch: 3 - index },
    })),
  },
)
const True = (type: string) => ({ type, status: 'True', lastUpdateTime: '2026-01-01T00:00:00Z' })
const running: MigrationObject['status'] = {
  conditions: [True('Running')],
  target: { how: 'record', encodingVersion: 'example.dev/v2' },
  ...{ total: 200, migrated: 90, alreadyCurrent: 10, percent: 50, ratePerSecond: 30, etaSeconds: 4 },
}
const object = (
  status: NonNullable<MigrationObject['status']>,
  annotations: Readonly<Record<string, string>> = {},
  name = 'm',
): MigrationObject => ({
  metadata: { name, annotations: { 'strata.dev/claimed-by': '', ...annotations } },
  spec: { resource: { group: 'example.dev', version: 'v1', resource: 'things' } },
  status,
})
const cardsOf = (...objects: readonly MigrationObject[]) =>
  decideCards(
    objects.map((each) => viewOf('migration.k8s.io', each)),
    new Map([['things.example.dev', record]]),
  )
const cardOf = (each: MigrationObject): MigrationCard | undefined => {
  const { open, ended } = cardsOf(each)
  return [...open, ...ended][0]
}

const phases: ReadonlyArray<
  [name: string, object: MigrationObject, phase: string, actions: readonly string[]]
> = [
  ['not begun', object({}), 'pending', ['Pause', 'Cancel']],
  ['under way', object(running), 'running', ['Pause', 'Cancel']],
  ['paused by a user', object(running, { 'strata.dev/paused': 'true' }), 'paused', ['Resume', 'Cancel']],
  ['cancelled by a user', object(running, { 'strata.dev/cancel': 'true' }), 'cancelling', []],
  ['at its end', object({ ...running, conditions: [True('Succeeded')] }), 'succeeded', []],
  ['failed', object({ ...running, conditions: [True('Failed')] }), 'failed', []],
]
for (const [name, each, phase, actions] of phases)
  test(`migrations: one that is ${name} can be told to ${actions.join(' or ').toLowerCase() || 'do nothing'}`, () => {
    const card = cardOf(each)
    assert.equal(card?.phase, phase)
    assert.deepEqual(card && actionsOn(card).map((action) => action.name), actions)
  })

test('migrations: a card has the way, the progress and the pace', () => {
  const card = cardOf(object(running))
  const { from, to, percent, settled, total, ratePerSecond, etaSeconds } = card ?? {}
  assert.deepEqual(
    { from, to, percent, settled, total, ratePerSecond, etaSeconds },
    {
      ...{ from: ['v1'], to: 'v2', percent: 50, settled: 100, total: 200, ratePerSecond: 30, etaSeconds: 4 },
    },
  )
  assert.equal(cardOf(object(running, { 'strata.dev/paused': 'true' }))?.ratePerSecond, 0)
})

test('migrations: what was set aside is grouped by reason, the largest group first, each with its fix', () => {
  const quarantine = [
    { name: 'a', reason: 'Denied', message: 'no' },
    { name: 'b', reason: 'Invalid', message: 'spec.x: must be positive' },
    { name: 'c', reason: 'Invalid', message: 'spec.y: must be positive' },
  ]
  const card = cardOf(object({ ...running, quarantined: 3, quarantine }))
  assert.deepEqual(
    card?.setAside.map(({ reason, objects }) => [reason, objects.map(({ name }) => name)]),
    [
      ['schema', ['b', 'c']],
      ['denied by admission', ['a']],
    ],
  )
  assert.ok(card?.setAside.every(({ fix }) => fix !== ''))
})

test('migrations: an action is the annotation that the command sets', () => {
  const [pause, cancel] = actionsOn(cardOf(object(running)) as MigrationCard)
  assert.deepEqual(pause?.annotations, { 'strata.dev/paused': 'true' })
  assert.equal(
    cancel?.command,
    'kubectl annotate storageversionmigrations.migration.k8s.io/m strata.dev/cancel=true',
  )
  const [resume] = actionsOn(cardOf(object(running, { 'strata.dev/paused': 'true' })) as MigrationCard)
  assert.deepEqual(resume?.annotations, { 'strata.dev/paused': null })
  assert.match(resume?.command ?? '', / strata\.dev\/paused-$/)
})

test('migrations: in a moment of the past nothing can be done: a button would act on what is so now', () => {
  const card = cardOf(object(running)) as MigrationCard
  const enabled = (isPast: boolean) => actionsOn(card, isPast).map(({ name, isEnabled }) => [name, isEnabled])
  assert.deepEqual(enabled(false), [
    ['Pause', true],
    ['Cancel', true],
  ])
  assert.deepEqual(enabled(true), [
    ['Pause', false],
    ['Cancel', false],
  ])
})

test('migrations: what is under way comes first; ended ones are apart, the latest first', () => {
  const ended = (name: string, at: string) =>
    object({ ...running, conditions: [{ ...True('Succeeded'), lastUpdateTime: at }] }, {}, name)
  const { open, ended: past } = cardsOf(
    ended('old', '2026-01-01T00:00:00Z'),
    ended('new', '2026-01-02T00:00:00Z'),
    object({}, {}, 'waits'),
    object(running, {}, 'runs'),
  )
  const names = (cards: readonly MigrationCard[]) => cards.map(({ id }) => id.split('/')[1])
  assert.deepEqual(
    [names(open), names(past)],
    [
      ['runs', 'waits'],
      ['new', 'old'],
    ],
  )
})
