import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderText } from '../../output/render-text.ts'
import { type CensusReport, reportCensus } from './render-census.ts'

const renderCensus = (...given: Parameters<typeof reportCensus>): string =>
  renderText(reportCensus(...given).sections)

const objects = Array.from({ length: 10 }, (_, at) => ({
  name: `lamp-${at}`,
  encodingVersion: 'light.example.dev/v1',
}))

const cases: readonly [name: string, census: object, more: string | undefined][] = [
  ['many stale', { stale: 300, unreadable: 0, objects }, '290'],
  ['stale, and some that cannot be read', { stale: 300, unreadable: 5, objects }, '295'],
  ['all are named', { stale: 10, unreadable: 0, objects }, undefined],
  ['no names are wanted', { stale: 300, unreadable: 0, objects: [] }, undefined],
]

for (const [name, census, more] of cases) {
  test(`census: ${name}: ${more ?? 'none'} more`, () => {
    const report = {
      ...{ resource: 'lamps.light.example.dev', verdict: 'stale', because: 'old' },
      census: { total: 400, encodings: [], ...census },
    } as unknown as CensusReport
    const found = / {2}… and (\d+) more \(--names/.exec(renderCensus([report], true))
    assert.equal(found?.[1], more)
  })
}

const keyCases: readonly [
  name: string,
  writeKey: string | undefined,
  key: string | undefined,
  row: string,
  named: string,
][] = [
  ['nothing is encrypted', undefined, undefined, 'secrets v1 - 2 current version', 'stored in v1'],
  [
    'everything is under the current key',
    'aesgcm:k:1',
    'aesgcm:k:1',
    'secrets v1 aesgcm:k:1 2 current version and key',
    'stored in v1 under aesgcm:k:1',
  ],
  [
    'written before there was a key',
    'aesgcm:k:1',
    undefined,
    'secrets v1 identity (not encrypted) 2 stale key',
    'stored in v1 under identity (not encrypted)',
  ],
  [
    'encryption was given up',
    undefined,
    'aesgcm:k:1',
    'secrets v1 aesgcm:k:1 2 stale key',
    'stored in v1 under aesgcm:k:1',
  ],
]

for (const [name, writeKey, key, row, named] of keyCases) {
  test(`census: the key of an object: ${name}`, () => {
    const under = key === undefined ? {} : { key }
    const report = {
      ...{ resource: 'secrets', verdict: 'stale', because: 'old' },
      census: {
        ...{ total: 2, agreedVersion: 'v1', stale: 2, unreadable: 0 },
        ...(writeKey === undefined ? {} : { writeKey }),
        encodings: [{ encodingVersion: 'v1', count: 2, ...under }],
        objects: [{ namespace: 'default', name: 's1', encodingVersion: 'v1', ...under }],
      },
    } as unknown as CensusReport
    const lines = renderCensus([report], true)
      .split('\n')
      .map((line) => line.trim().replaceAll(/ +/g, ' '))
    assert.ok(lines.includes(row), lines.join('\n'))
    assert.ok(lines.includes(`default/s1: ${named}`), lines.join('\n'))
  })
}

test('census --all: what cannot be seen is one line for each reason, and -v has the rows', () => {
  const because = 'the store cannot be read through this API'
  const reports = ['a', 'b', 'c', 'd'].map((name) => ({
    ...{ resource: `${name}.example.dev`, verdict: 'unknown', because },
  })) as CensusReport[]
  const { sections } = reportCensus(reports, false)
  const shown = renderText(sections.filter(({ isDetail = false }) => !isDetail))
  assert.equal(
    shown,
    [
      `Could not see (-v lists all): 4 resources (a.example.dev, b.example.dev, …): ${because}`,
      '',
      '0 of 4 resources: proven to be stored as the servers agree.',
    ].join('\n'),
  )
  assert.match(renderText(sections), /^a\.example\.dev +\? +\? +\? +cannot be read here$/m)
  assert.match(renderCensus(reports.slice(0, 1), true), /^a\.example\.dev +\? /m)
})

test('census: where no server counts, the next step reads etcd', () => {
  const report = {
    ...{ resource: 'a.example.dev', verdict: 'unknown', because: 'the store cannot be read', hints: {} },
  } as CensusReport
  const next =
    'strata inspect a.example.dev --etcd-servers URL, or --etcd-snapshot FILE, counts what is stored'
  assert.ok(renderCensus([report], true).includes(`  Next: ${next}`))
  const onStrata = { ...report, target: { how: 'record' } } as CensusReport
  assert.doesNotMatch(renderCensus([onStrata], true), /Next:/)
  assert.match(
    renderText(reportCensus([report], false).sections),
    /^ {2}Next: strata inspect --etcd-servers URL/m,
  )
})
