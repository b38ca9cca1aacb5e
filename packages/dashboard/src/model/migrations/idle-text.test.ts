import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type IdleFacts, idleText } from './idle-text.ts'

const clean: IdleFacts = { trigger: { unclean: [], underWay: [] }, isAgreed: true, shown: 0, refused: [] }
const unclean = ['things.example.dev']

const cases: ReadonlyArray<[name: string, facts: Partial<IdleFacts>, want: string]> = [
  ['nothing to do', {}, 'No migration is under way, and none is needed.'],
  ['a card is shown', { shown: 1, trigger: { unclean, underWay: ['things'] } }, ''],
  [
    'the servers do not agree yet',
    { isAgreed: false },
    'No migration is under way. Whether one is needed is known when the servers agree.',
  ],
  [
    'objects may be old, and controllers run',
    { trigger: { unclean, underWay: [], controllersAtWork: true } },
    'No migration is under way. Objects of things.example.dev may still be in an old version or key. The controllers begin once the servers have agreed for a while.',
  ],
  [
    'objects of several may be old, and no controllers run',
    { trigger: { unclean: ['a', 'b'], underWay: [], controllersAtWork: false } },
    'No migration is under way. Objects of 2 resources may still be in an old version or key. No controllers are running: start them with "strata controllers".',
  ],
  [
    'the filter hides what is under way',
    { trigger: { unclean, underWay: ['things', 'lamps'] } },
    '2 migrations are under way, of resources that the filter hides.',
  ],
  [
    'no right to list StorageStates',
    { trigger: { underWay: [] }, refused: ['storagestates.migration.k8s.io'] },
    'Not all can be seen: the right to list and watch storagestates.migration.k8s.io is missing. "strata rbac dashboard" prints it.',
  ],
  [
    'no right to list some migrations, and others are shown',
    { trigger: { unclean: [] }, shown: 2, refused: ['a', 'b'] },
    'Not all can be seen: the right to list and watch a and b is missing. "strata rbac dashboard" prints it.',
  ],
  ['nothing was seen yet', { trigger: undefined }, 'Migrations are not seen yet.'],
]
for (const [name, facts, want] of cases)
  test(`migrations: ${name}`, () => assert.equal(idleText({ ...clean, ...facts }) ?? '', want))
