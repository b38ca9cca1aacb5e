import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderSarif } from './render-sarif.ts'
import type { Level, Result } from './report.ts'

const result = (level: Level, more: Partial<Result> = {}): Result => ({
  ...{ level, rule: 'not seen', subject: 'lamps', message: 'text' },
  ...more,
})

interface Sarif {
  readonly $schema: string
  readonly version: string
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly name: string; readonly rules: readonly { id: string }[] } }
    readonly results: readonly Readonly<Record<string, unknown>>[]
  }[]
}

/** What the schema of SARIF 2.1.0 requires of what is printed here: no result without message.text, no index without its rule. */
function checkShape(text: string): Sarif {
  const log = JSON.parse(text) as Sarif
  assert.equal(log.version, '2.1.0')
  assert.ok(URL.canParse(log.$schema))
  for (const { tool, results } of log.runs) {
    assert.ok(tool.driver.name)
    const ids = tool.driver.rules.map(({ id }) => id)
    assert.equal(new Set(ids).size, ids.length, 'uniqueItems')
    for (const { ruleId, ruleIndex, level, message, locations, partialFingerprints } of results) {
      assert.equal(ids[ruleIndex as number], ruleId)
      assert.ok(['none', 'note', 'warning', 'error'].includes(level as string))
      assert.equal(typeof (message as { text: string }).text, 'string')
      assert.ok(Object.values(partialFingerprints as object).every((each) => typeof each === 'string'))
      for (const each of locations as readonly Readonly<Record<string, never>>[]) checkLocation(each)
    }
  }
  return log
}

function checkLocation(location: Readonly<Record<string, unknown>>): void {
  const known = ['physicalLocation', 'logicalLocations']
  assert.deepEqual(
    Object.keys(location).filter((key) => !known.includes(key)),
    [],
  )
  const { artifactLocation, region } = (location['physicalLocation'] ?? {}) as Readonly<
    Record<string, Readonly<Record<string, unknown>>>
  >
  if (artifactLocation === undefined) return
  // A relative URI reference, or an absolute URI.
  assert.ok(URL.canParse(String(artifactLocation['uri']), 'file:///checkout/'))
  assert.doesNotMatch(String(artifactLocation['uri']), /\s/)
  assert.ok(Number(region?.['startLine']) >= 1)
}

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
    const [found] = checkShape(text).runs[0]?.results ?? []
    assert.deepEqual(Object.fromEntries(Object.keys(want).map((key) => [key, found?.[key]])), want)
  })
}

test('-o sarif: what passed is left out, and a rule is named once', () => {
  const results = [result('passed'), result('failed'), result('failed', { subject: 'maps' })]
  const { runs } = checkShape(renderSarif({ command: 'check', sections: [], results, document: {} }))
  assert.equal(runs[0]?.results.length, 2)
  assert.equal(runs[0]?.tool.driver.rules.length, 1)
  checkShape(renderSarif({ command: 'check', sections: [], results: [], document: {} }))
})
