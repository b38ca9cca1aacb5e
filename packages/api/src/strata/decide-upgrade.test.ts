import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type DecodableResource,
  decideUpgrade,
  type PersistedResource,
  type UpgradeReason,
  type UpgradeVerdict,
} from './decide-upgrade.ts'

const things = { group: 'example.dev', resource: 'things' }

type Row = [
  name: string,
  persisted: Omit<PersistedResource, 'group' | 'resource'>,
  target: Omit<DecodableResource, 'group' | 'resource'> | 'not named' | 'not there',
  want: readonly [UpgradeVerdict, UpgradeReason, missing?: string],
]
const reads = (...decodable: readonly string[]) => ({ decodable })
const stored = (...persisted: readonly string[]) => ({ persisted })
const rows: readonly Row[] = [
  ['all versions are read', stored('v1', 'v2'), reads('v1', 'v2', 'v3'), ['Safe', 'AllDecodable']],
  ['one version is not read', stored('v1', 'v2'), reads('v2'), ['Unsafe', 'NotDecodable', 'v1']],
  ['no version is read', stored('v1'), reads(), ['Unsafe', 'NotDecodable', 'v1']],
  ['nothing is stored', stored(), reads('v1'), ['Safe', 'NothingStored']],
  ['nothing is stored, and nothing read', stored(), reads(), ['Safe', 'NothingStored']],
  ['Unknown is not safe', stored('Unknown'), reads('v1'), ['CouldNotSee', 'PersistedUnknown']],
  [
    'Unknown beside what is read is not safe',
    stored('Unknown', 'v1'),
    reads('v1'),
    ['CouldNotSee', 'PersistedUnknown'],
  ],
  [
    'what is known to be unreadable is a no, whatever is Unknown',
    stored('Unknown', 'v1'),
    reads('v2'),
    ['Unsafe', 'NotDecodable', 'v1'],
  ],
  [
    'what could not be seen',
    { unseen: 'the list was refused' },
    reads('v1'),
    ['CouldNotSee', 'PersistedUnknown'],
  ],
  [
    'a part that was seen, and is not read',
    { persisted: ['v1'], unseen: 'a gap in the record' },
    reads('v2'),
    ['Unsafe', 'NotDecodable', 'v1'],
  ],
  [
    'a part that was seen, and is read',
    { persisted: ['v1'], unseen: 'a gap in the record' },
    reads('v1'),
    ['CouldNotSee', 'PersistedUnknown'],
  ],
  [
    'an empty list of which a part was not seen',
    { persisted: [], unseen: 'a gap in the record' },
    reads('v1'),
    ['CouldNotSee', 'PersistedUnknown'],
  ],
  ['the target does not have it', stored('v1'), 'not there', ['Unsafe', 'NotInTarget', 'v1']],
  ['the target does not have it, and nothing is stored', stored(), 'not there', ['Safe', 'NothingStored']],
  [
    'the target does not have it, and it is unknown what is stored',
    stored('Unknown'),
    'not there',
    ['CouldNotSee', 'PersistedUnknown'],
  ],
  ['the target is unknown', stored('v1'), 'not named', ['CouldNotSee', 'TargetUnknown']],
  ['the target is unknown, and nothing is stored', stored(), 'not named', ['Safe', 'NothingStored']],
  [
    'the target could not be asked',
    stored('v1'),
    { unseen: 'no such release' },
    ['CouldNotSee', 'TargetUnknown'],
  ],
]
for (const [name, persisted, target, [verdict, reason, missing]] of rows) {
  test(`upgrade: ${name}`, () => {
    const decision = decideUpgrade({
      persisted: [{ ...things, ...persisted }],
      target: typeof target === 'string' ? [] : [{ ...things, ...target }],
      isTargetComplete: target !== 'not named',
    })
    const [found] = decision.resources
    assert.deepEqual(
      [decision.verdict, found?.verdict, found?.reason, found?.missing],
      [verdict, verdict, reason, missing === undefined ? [] : [missing]],
    )
  })
}

test('upgrade: one Unsafe makes all Unsafe, one CouldNotSee leaves no Safe, and both are listed first', () => {
  const of = (resource: string) => ({ group: '', resource })
  const decide = (...persisted: readonly PersistedResource[]) => {
    const { verdict, resources } = decideUpgrade({
      persisted,
      target: ['a', 'b', 'c', 'd'].map((each) => ({ ...of(each), decodable: ['v1'] })),
      isTargetComplete: true,
    })
    return [verdict, ...resources.map(({ resource, verdict: its }) => `${resource} ${its}`)]
  }
  const [safe, unseen, unsafe] = [
    { ...of('a'), persisted: ['v1'] },
    { ...of('b'), persisted: ['Unknown'] },
    { ...of('c'), persisted: ['v2'] },
  ]
  assert.deepEqual(decide(safe), ['Safe', 'a Safe'])
  assert.deepEqual(decide(safe, unseen), ['CouldNotSee', 'b CouldNotSee', 'a Safe'])
  assert.deepEqual(decide({ ...of('d'), persisted: ['v1'] }, unseen, unsafe, safe), [
    'Unsafe',
    'c Unsafe',
    'b CouldNotSee',
    'a Safe',
    'd Safe',
  ])
  assert.deepEqual(decide(), ['CouldNotSee'], 'who has looked at nothing has seen nothing')
})

const messages: ReadonlyArray<[persisted: PersistedResource, want: string]> = [
  [{ ...things, persisted: ['v1', 'v2'] }, 'stored objects may be in v1; the target reads only v2, v3'],
  [{ ...things, persisted: ['v2'] }, 'the target reads v2, and nothing else is stored'],
  [{ ...things, unseen: 'the list was refused' }, 'it is unknown what is stored: the list was refused'],
]
for (const [persisted, want] of messages) {
  test(`upgrade: "${want}"`, () => {
    const target = [{ ...things, decodable: ['v2', 'v3'] }]
    const { resources } = decideUpgrade({ persisted: [persisted], target, isTargetComplete: true })
    assert.equal(resources[0]?.message, want)
  })
}
