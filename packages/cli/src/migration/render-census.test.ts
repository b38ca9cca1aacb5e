import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CensusReport, renderCensus } from './render-census.ts'

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
