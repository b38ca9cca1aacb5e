import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CheckAnswer } from './observe-upgrade.ts'
import { narrow, renderCheck } from './render-check.ts'

const group = 'example.dev'
const resources = [
  {
    ...{ group, resource: 'lamps', verdict: 'Unsafe', reason: 'NotDecodable' },
    ...{ message: 'stored may be example.dev/v1', missing: ['example.dev/v1'] },
    ...{ persistedVersions: ['example.dev/v1', 'example.dev/v2'], decodableVersions: ['example.dev/v2'] },
  },
  {
    ...{ group: '', resource: 'configmaps', verdict: 'Safe', reason: 'AllDecodable', message: 'fine' },
    ...{ missing: [], persistedVersions: ['v1'], decodableVersions: ['v1'] },
  },
] as CheckAnswer['resources']
const answer: CheckAnswer = { how: 'UpgradeReview', unseen: [], verdict: 'Unsafe', resources }

test('check: what is unsafe has a row; the others on request', () => {
  assert.equal(
    renderCheck(answer, 'x+3', false),
    [
      'RESOURCE            VERDICT   STORED   READABLE   WHY',
      'lamps.example.dev   UNSAFE    v1, v2   v2         stored may be example.dev/v1',
      '',
      'UNSAFE: x+3 cannot read what may be stored of 1 of 2 resources. Migrate first ("strata migrate"), or take a release that reads all of it.',
    ].join('\n'),
  )
  assert.match(renderCheck(answer, 'x+3', true), /^configmaps +safe +v1 +v1 +fine$/m)
})

const narrowed: ReadonlyArray<[names: string[], unseen: string[], verdict: string]> = [
  [[], [], 'Unsafe'],
  [['configmaps'], [], 'Safe'],
  [['configmaps'], ['definitions: forbidden'], 'CouldNotSee'],
  [['lamps'], ['definitions: forbidden'], 'Unsafe'],
  [['configmaps', 'lamps.example.dev'], [], 'Unsafe'],
]
for (const [names, unseen, verdict] of narrowed) {
  test(`check: of ${names.join(' and ') || 'everything'}, with ${unseen.join() || 'all'} seen: ${verdict}`, () =>
    assert.equal(narrow({ ...answer, unseen }, names).verdict, verdict))
}

test('check: a name that nobody knows is no answer', () => {
  assert.throws(() => narrow(answer, ['lams']), /nothing is known of lams/)
})

test('check: what has to be told is told with flags', () => {
  const message = 'what the target can read is not known: name it in decodableVersions'
  const unseen = resources.map((each) => ({ ...each, verdict: 'CouldNotSee' as const, message }))
  const text = renderCheck({ ...answer, verdict: 'CouldNotSee', resources: unseen }, '0.1.0', false)
  assert.match(text, /is not known: tell it with --decodable or --resources$/m)
  assert.doesNotMatch(text, /decodableVersions/)
})
