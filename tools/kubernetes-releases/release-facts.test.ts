import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compact, rangeText } from './compact-releases.ts'
import type { ReleaseFiles } from './read-release.ts'
import { decideFacts } from './release-facts.ts'
import { chooseTags } from './release-source.ts'

const group = 'things.example.dev'
const version = (versionName: string, introduced: number, removed?: number) => ({
  ...{ versionName, kinds: ['Thing'], introduced: new Map([['Thing', introduced]]) },
  removed: new Map(removed === undefined ? [] : [['Thing', removed]]),
})
const fixture = (versionName: string, stored: string) => ({
  ...{ group, versionName, resource: 'things', path: 'things/one' },
  ...(stored === versionName ? {} : { storedAs: { group, versionName: stored } }),
})

function release(changed: Partial<ReleaseFiles>): ReleaseFiles {
  return {
    ...{ tag: 'v1.30.0', minor: 30, hashes: new Map(), otherHashes: [], overrides: [] },
    groups: [
      { group, directory: 'things', kinds: ['Thing'], versions: [version('v1', 30), version('v1beta1', 25)] },
    ],
    enabled: { versions: ['things/v1'], resources: [] },
    fixtures: [fixture('v1', 'v1'), fixture('v1beta1', 'v1')],
    keepsPreviousReadable: false,
    ...changed,
  }
}

const stored: ReadonlyArray<[what: string, changed: Partial<ReleaseFiles>, stored: string]> = [
  ['the preferred version', {}, 'v1'],
  ['one that the release before knows', { keepsPreviousReadable: true }, 'v1beta1'],
  ['it has been there long enough', { keepsPreviousReadable: true, minor: 31 }, 'v1'],
  [
    'an override',
    {
      overrides: [{ directory: 'things', resource: 'things', versionName: 'v1beta1' }],
      fixtures: [fixture('v1', 'v1beta1'), fixture('v1beta1', 'v1beta1')],
    },
    'v1beta1',
  ],
]
for (const [what, changed, want] of stored) {
  test(`the stored version: ${what}: ${want}`, () => {
    const [facts] = decideFacts(release(changed))
    assert.deepEqual(
      [facts?.name, facts?.stored, facts?.served, facts?.optional],
      [`things.${group}`, `${group}/${want}`, [`${group}/v1`], [`${group}/v1beta1`]],
    )
    assert.deepEqual(facts?.decodable, [`${group}/v1`, `${group}/v1beta1`])
  })
}

test('a storage test that expects something else is an error', () => {
  const fixtures = [fixture('v1', 'v1beta1'), fixture('v1beta1', 'v1beta1')]
  assert.throws(
    () => decideFacts(release({ fixtures })),
    /stored as v1, but its storage test expects v1beta1/,
  )
})

test('a removed version is read, and not served; without any version there is no resource', () => {
  const versions = [version('v1beta1', 25, 30)]
  const groups = [{ group, directory: 'things', kinds: ['Thing'], versions }]
  const fixtures = [fixture('v1beta1', 'v1beta1')]
  assert.deepEqual(decideFacts(release({ groups, fixtures })), [])
  const [both] = decideFacts(
    release({
      groups: [
        {
          ...groups[0],
          group,
          directory: 'things',
          kinds: ['Thing'],
          versions: [version('v1', 25), ...versions],
        },
      ],
    }),
  )
  assert.deepEqual([both?.served, both?.optional], [[`${group}/v1`], []])
  assert.deepEqual(both?.decodable, [`${group}/v1`, `${group}/v1beta1`])
})

const ranges: ReadonlyArray<[minors: number[], text: string]> = [
  [[19, 20, 21], '1.19-1.21'],
  [[19, 21, 22], '1.19,1.21-1.22'],
  [[37], '1.37'],
]
for (const [minors, text] of ranges) {
  test(`releases as ranges: ${text}`, () => assert.equal(rangeText(minors), text))
}

test('releases become one table, with their tags', () => {
  const facts = decideFacts(release({}))
  const table = compact([30, 31].map((minor) => ({ minor, tag: `v1.${minor}.0`, resources: facts })))
  assert.deepEqual(table.origin.tags, { '1.30': 'v1.30.0', '1.31': 'v1.31.0' })
  assert.deepEqual(table.resources[`things.${group}`]?.stored, { [`${group}/v1`]: '1.30-1.31' })
})

test('tags: the newest patch release; a candidate only without one', () => {
  const tags = [
    'v1.36.0',
    'v1.36.10',
    'v1.36.9',
    'v1.36.11-rc.0',
    'v1.37.0-rc.0',
    'v1.37.0-rc.1',
    'v1.37.0-beta.0',
  ]
  assert.deepEqual(
    [...chooseTags(tags, 36, 37)],
    [
      [36, 'v1.36.10'],
      [37, 'v1.37.0-rc.1'],
    ],
  )
  assert.throws(() => chooseTags(tags, 36, 38), /no tag of Kubernetes 1\.38/)
})
