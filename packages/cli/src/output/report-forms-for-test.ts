import assert from 'node:assert/strict'
import { parse } from 'yaml'
import { outputForms, printReport } from './print-report.ts'
import type { Report } from './report.ts'

/** Prints the report in every form of -o, checks each by its schema, and returns them. */
export function checkForms(report: Report): Readonly<Record<(typeof outputForms)[number], string>> {
  const atMs = Date.parse('2026-01-02T03:04:05Z')
  const print = (form: (typeof outputForms)[number]): string => printReport(report, form, { atMs })
  const [table, wide, json, yaml, markdown, junit, sarif] = outputForms.map(print) as [
    ...[string, string, string, string, string, string, string],
  ]
  assert.deepEqual(JSON.parse(json), JSON.parse(JSON.stringify(report.document)))
  assert.deepEqual(parse(yaml), JSON.parse(json))
  assert.ok(markdown.startsWith(`## strata ${report.command}`))
  checkJunit(junit)
  checkSarif(sarif)
  return { table, wide, json, yaml, markdown, junit, sarif }
}

/** What the schemas of Ant and Jenkins require, and in which order. */
const junitShape =
  /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites>\n {2}<testsuite name="strata (?<command>[a-z -]+)" package="strata\.\k<command>" id="\d+" hostname="\S+" tests="\d+" failures="\d+" errors="\d+" skipped="0" time="0" timestamp="2026-01-02T03:04:05">\n {4}<properties\/>\n(?: {4}<testcase name="[^"<]*" classname="strata\.\k<command>" time="0"(?:\/>|><(?<end>failure|error) message="[^"<]*" type="[^"<]*">[^<]*<\/\k<end>><\/testcase>)\n)* {4}<system-out>[^<]*<\/system-out>\n {4}<system-err\/>\n {2}<\/testsuite>\n<\/testsuites>$/

export function checkJunit(text: string): void {
  assert.match(text, junitShape)
}

interface Sarif {
  readonly $schema: string
  readonly version: string
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly name: string; readonly rules: readonly { id: string }[] } }
    readonly results: readonly Readonly<Record<string, unknown>>[]
  }[]
}

/** What the schema of SARIF 2.1.0 requires of what is printed here: no result without message.text, no index without its rule. */
export function checkSarif(text: string): Sarif {
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
