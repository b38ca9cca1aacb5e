import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderSarif } from './render-sarif.ts'
import type { Level, Result } from './report.ts'
import { checkSarif } from './report-forms-for-test.ts'

const result = (level: Level, more: Partial<Result> = {}): Result => ({
  ...{ level, rule: 'not seen', subject: 'lamps', message: 'text' },
  ...more,
})

const cases: readonly [name: string, result: Result, want: Readonly<Record<string, unknown>>][] = [
  [
    'a resource has a logical location',
    result('failed', { fix: 'migrate' }),
    {
      ...{ ruleId: 'strata/check/not-seen', level: 'error', message: { text: 'lamps: text\nNext: migrate' } },
      locations: [{ logicalLocations: [{ fullyQualifiedName: 'lamps', kind: 'resource' }] }],
    },
  ],
  [
    'a file and a line',
    result('warning', { file: 'my crds/a.yaml', line: 7 }),
    {
      level: 'warning',
      locations: [
        {
          physicalLocation: { artifactLocation: { uri: 'my%20crds/a.yaml' }, region: { startLine: 7 } },
          logicalLocations: [{ fullyQualifiedName: 'lamps', kind: 'resource' }],
        },
      ],
    },
  ],
  ['what could not be seen is a warning', result('unknown', { file: '/a b' }), { level: 'warning' }],
  ['a note', result('note'), { level: 'note' }],
]
for (const [name, given, want] of cases) {
  test(`-o sarif: ${name}`, () => {
    const text = renderSarif({ command: 'check', sections: [], results: [given], document: {} })
    const [found] = checkSarif(text).runs[0]?.results ?? []
    assert.deepEqual(Object.fromEntries(Object.keys(want).map((key) => [key, found?.[key]])), want)
  })
}

test('-o sarif: what passed is left out, and a rule is named once', () => {
  const results = [result('passed'), result('failed'), result('failed', { subject: 'maps' })]
  const { runs } = checkSarif(renderSarif({ command: 'check', sections: [], results, document: {} }))
  assert.equal(runs[0]?.results.length, 2)
  assert.equal(runs[0]?.tool.driver.rules.length, 1)
  checkSarif(renderSarif({ command: 'check', sections: [], results: [], document: {} }))
})
