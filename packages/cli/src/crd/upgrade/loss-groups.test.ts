import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LossGroups, unneededAcceptances } from './loss-groups.ts'

const lost = (path: string, object = 'one') => ({ kind: 'lost', path, object }) as const

test('losses: one group for the items of a list, and one count for an object', () => {
  const groups = new LossGroups('lamps', [])
  // The second time in another version.
  for (const object of ['a', 'b', 'c', 'd', 'a', 'b', 'c', 'd']) {
    groups.add(lost('spec.rules[0].port', object))
    groups.add(lost('spec.rules[1].port', object))
  }
  groups.add({ kind: 'refused', path: 'spec.color', object: 'a', message: 'spec.color: Required value' })
  assert.deepEqual(groups.all, [
    {
      ...{ kind: 'refused', path: 'spec.color', objects: 1, examples: ['a'] },
      ...{ message: 'spec.color: Required value', accepted: false },
    },
    { kind: 'lost', path: 'spec.rules[*].port', objects: 4, examples: ['a', 'b', 'c'], accepted: false },
  ])
})

const rows: readonly [name: string, accepted: string, isAccepted: boolean][] = [
  ['the path', 'spec.rules[*].port', true],
  ['a position in the list', 'spec.rules[3].port', true],
  ['what is above it', 'spec.rules', true],
  ['everything', 'spec', true],
  ['for this CRD', 'lamps:spec.rules', true],
  ['for another CRD', 'lights:spec.rules', false],
  ['a name that begins alike', 'spec.rule', false],
  ['what is below it', 'spec.rules[*].port.name', false],
]
for (const [name, accepted, isAccepted] of rows) {
  test(`losses: accepted by ${name}: ${isAccepted}`, () => {
    const groups = new LossGroups('lamps', [accepted])
    groups.add(lost('spec.rules[0].port'))
    assert.equal(groups.isAccepted, isAccepted)
  })
}

test('losses: an object is saved only for a loss that is accepted', () => {
  const groups = new LossGroups('lamps', ['spec.rules'])
  assert.equal(groups.accepts([lost('spec.color'), lost('spec.rules[1].port')]), true)
  assert.equal(groups.accepts([lost('spec.color')]), false)
})

test('losses: a path at which nothing is lost in any CRD is named', () => {
  const seen = [
    { name: 'lamps', losses: [{ path: 'spec.rules[*].port' }] },
    { name: 'lights', losses: [] },
  ]
  const unseen = ['not-compared', 'lamps:not-compared']
  const accepted = ['spec.rules[0]', 'spec.color', 'lights:spec.rules', 'lamps:spec', ...unseen]
  assert.deepEqual(unneededAcceptances(accepted, seen), ['spec.color', 'lights:spec.rules'])
})
