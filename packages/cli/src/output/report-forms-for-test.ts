import assert from 'node:assert/strict'
import { parse } from 'yaml'
import { jsonProblems } from './json-schema-for-test.ts'
import { junitProblems } from './junit-schema-for-test.ts'
import { outputForms, printReport } from './print-report.ts'
import type { Report } from './report.ts'
import { sarifSchema } from './sarif-schema-for-test.ts'
import { parseXml } from './xml-for-test.ts'

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

/** By the schemas of CI systems. */
export function checkJunit(text: string): void {
  assert.deepEqual(junitProblems(parseXml(text)), [])
}

interface Sarif {
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly rules: readonly { id: string }[] } }
    readonly results: readonly Readonly<Record<string, unknown>>[]
  }[]
}

/** By the schema of SARIF 2.1.0, and what it says in words only: an index leads to its rule, and a rule is there once. */
export function checkSarif(text: string): Sarif {
  const log = JSON.parse(text) as Sarif
  assert.deepEqual(jsonProblems(log, sarifSchema), [])
  for (const { tool, results } of log.runs) {
    const ids = tool.driver.rules.map(({ id }) => id)
    assert.equal(new Set(ids).size, ids.length)
    for (const { ruleId, ruleIndex } of results) assert.equal(ids[ruleIndex as number], ruleId)
  }
  return log
}
