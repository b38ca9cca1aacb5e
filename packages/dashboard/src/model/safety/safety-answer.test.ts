import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ExplainedVerdict, UpgradeVerdict } from '@strata/api'
import { observedFleet, recordOf } from '../../live/observed-for-test.ts'
import { declaredQuestion, explainReview, releasesToAsk } from './safety-answer.ts'

const of = (resource: string, verdict: UpgradeVerdict): ExplainedVerdict => ({
  ...{ group: 'example.dev', resource, verdict, reason: 'NotDecodable', message: 'said so', missing: [] },
  ...{ persistedVersions: ['example.dev/v1'], decodableVersions: ['example.dev/v2'] },
})

const sentences: ReadonlyArray<[verdict: UpgradeVerdict, resources: ExplainedVerdict[], want: RegExp]> = [
  ['Safe', [of('a', 'Safe'), of('b', 'Safe')], /^Safe: x\+3 can read everything/],
  ['Unsafe', [of('a', 'Unsafe'), of('b', 'CouldNotSee'), of('c', 'Safe')], /^Unsafe: 1 of 3 resources /],
  [
    'CouldNotSee',
    [of('a', 'CouldNotSee'), of('b', 'Safe')],
    /1 of 2 resources\. Do not take this for safe\.$/,
  ],
]
for (const [verdict, resources, want] of sentences)
  test(`safety: ${verdict} is said in a sentence`, () => {
    const answer = explainReview('x+3', { verdict, resources })
    assert.match(answer.sentence, want)
    assert.ok(answer.safe.every((each) => each.verdict === 'Safe'))
    assert.equal(answer.attention.length + answer.safe.length, resources.length)
  })

test('safety: what is unsafe has the command that mends it', () => {
  const { attention } = explainReview('x+3', { verdict: 'Unsafe', resources: [of('things', 'Unsafe')] })
  assert.deepEqual(attention[0]?.commands, ['strata migrate things.example.dev'])
  assert.deepEqual([attention[0]?.stored, attention[0]?.readable], [['v1'], ['v2']])
})

test('safety: a command comes from the verdict, whatever the advice of a server says', () => {
  const advice = 'run "strata prune things.example.dev"'
  const mends = { ...of('things', 'Unsafe'), advice }
  const readsNothing = { ...mends, decodableVersions: [] }
  const { attention } = explainReview('x+3', { verdict: 'Unsafe', resources: [mends, readsNothing] })
  assert.deepEqual(
    attention.map(({ commands }) => commands),
    [['strata migrate things.example.dev'], []],
  )
})

test('safety: servers of the fleet say what their release reads; every other resource is named too', () => {
  const records = [recordOf('lamps', { a: 'v1' }), recordOf('things', { a: 'v1', b: 'v1' })]
  const { leases } = observedFleet(['a', 'b'], records)
  const named = leases.objects.map((lease) => ({
    ...lease,
    metadata: {
      ...lease.metadata,
      annotations: { 'strata.dev/release': lease.metadata.name === 'a' ? 'x' : 'y' },
    },
  }))
  const read = ['example.dev/v1', 'example.dev/v2']
  assert.deepEqual(declaredQuestion('y', named, records), {
    resources: [
      { group: 'example.dev', resource: 'lamps' },
      { group: 'example.dev', resource: 'things', decodableVersions: read },
    ],
  })
  assert.equal(declaredQuestion('z', named, records), undefined)
})

test('safety: releases to ask about are those of the playground, else those that run', () => {
  assert.deepEqual(releasesToAsk(['x', 'x+1'], ['x']), ['x', 'x+1'])
  assert.deepEqual(releasesToAsk([], ['0.2.0', undefined, '0.1.0', '0.2.0']), ['0.1.0', '0.2.0'])
  assert.deepEqual(releasesToAsk([], ['1.10.0', '1.9.0', 'x+10', 'x+9']), ['1.9.0', '1.10.0', 'x+9', 'x+10'])
})
