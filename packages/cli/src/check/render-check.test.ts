import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderText } from '../output/render-text.ts'
import type { CheckAnswer } from './observe-upgrade.ts'
import { narrow, reportCheck } from './render-check.ts'

const renderCheck = (...given: Parameters<typeof reportCheck>): string =>
  renderText(reportCheck(...given).sections)

const group = 'example.dev'
const resources = [
  {
    ...{ group, resource: 'lamps', verdict: 'Unsafe', reason: 'NotDecodable' },
    ...{ message: 'stored objects may be in example.dev/v1', missing: ['example.dev/v1'] },
    ...{ persistedVersions: ['example.dev/v1', 'example.dev/v2'], decodableVersions: ['example.dev/v2'] },
    advice: 'do this',
  },
  {
    ...{ group: '', resource: 'configmaps', verdict: 'Safe', reason: 'AllDecodable', message: 'fine' },
    ...{ missing: [], persistedVersions: ['v1'], decodableVersions: ['v1'] },
  },
] as CheckAnswer['resources']
const answer: CheckAnswer = { how: 'UpgradeReview', unseen: [], verdict: 'Unsafe', resources }

test('check: unsafe resources have a row; the others on request', () => {
  assert.equal(
    renderCheck(answer, 'x+3', { all: false, isNarrowed: false }),
    [
      'RESOURCE            VERDICT   STORED   READABLE   WHY',
      'lamps.example.dev   UNSAFE    v1, v2   v2         stored objects may be in example.dev/v1',
      '',
      'UNSAFE: 1 of 2 resources may have objects that x+3 cannot read.',
      '  lamps.example.dev: do this.',
      '  Or choose a release that reads everything that is stored.',
    ].join('\n'),
  )
  assert.match(
    renderCheck(answer, 'x+3', { all: true, isNarrowed: false }),
    /^configmaps +safe +v1 +v1 +fine$/m,
  )
})

test('check: without advice from an older server, the command gives its own', () => {
  const older = resources.map(({ advice: _, ...each }) => each)
  assert.match(
    renderCheck({ ...answer, resources: older }, 'x+3', { all: false, isNarrowed: false }),
    /^ {2}lamps\.example\.dev: start a server of a release that reads v1 and v2 and writes v2, replace any server that writes v1, then run "strata migrate lamps\.example\.dev"\.$/m,
  )
})

test('check: resources with the same advice share one line, and one command', () => {
  const [lamps] = resources
  assert.ok(lamps)
  const said = (...names: string[]): string =>
    renderCheck(
      {
        ...answer,
        resources: names.map((resource) => ({
          ...{ ...lamps, resource },
          advice: `migrate first ("strata migrate ${resource}.${group}")`,
        })),
      },
      'x+3',
      { all: false, isNarrowed: false },
    )
  assert.match(
    said('a', 'b'),
    /^ {2}a\.example\.dev, b\.example\.dev: migrate first \("strata migrate a\.example\.dev b\.example\.dev"\)\.$/m,
  )
  assert.match(
    said('a', 'b', 'c', 'd'),
    /^ {2}4 resources \(.*\): migrate first \("strata migrate --all"\)\.$/m,
  )
})

test('check: versions of another group are shown in full, each once', () => {
  const [, maps] = resources
  assert.ok(maps)
  const decodableVersions = ['v1', 'events.k8s.io/v1', 'v1']
  const events = { ...maps, resource: 'events', persistedVersions: ['v1'], decodableVersions }
  const text = renderCheck({ ...answer, verdict: 'Safe', resources: [events] }, 'x+3', {
    all: true,
    isNarrowed: false,
  })
  assert.match(text, /^events +safe +v1 +v1, events\.k8s\.io\/v1 +fine$/m)
  assert.match(text, /^Safe: x\+3 can read everything that is stored, 1 resource\.$/m)
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

const summaries: ReadonlyArray<[names: string[], says: RegExp]> = [
  [
    ['configmaps'],
    /^Safe: x\+3 can read everything that is stored of the named resources: 1\. Other resources were not checked\.$/m,
  ],
  [['lamps', 'configmaps'], /^UNSAFE: 1 of 2 resources named may have objects that x\+3 cannot read\.$/m],
]
for (const [names, says] of summaries) {
  test(`check: the last line says that it is about ${names.join(' and ')} only`, () =>
    assert.match(renderCheck(narrow(answer, names), 'x+3', { all: false, isNarrowed: true }), says))
}

test('check: an unknown name is an error', () => {
  assert.throws(() => narrow(answer, ['lams']), /no such resource: lams; "strata check --to RELEASE --all"/)
})

test('check: fields of the UpgradeReview become flags', () => {
  const message = 'what the target can read is not known: name it in decodableVersions'
  const unseen = resources.map((each) => ({ ...each, verdict: 'CouldNotSee' as const, message }))
  const text = renderCheck({ ...answer, verdict: 'CouldNotSee', resources: unseen }, '0.1.0', {
    all: false,
    isNarrowed: false,
  })
  assert.match(
    text,
    /is not known: no server of 0\.1\.0 is part of the fleet; give --decodable lamps\.example\.dev=… with what 0\.1\.0 reads, or --resources with its kinds$/m,
  )
  assert.doesNotMatch(text, /decodableVersions/)
})
