import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'yaml'
import { outputForms, printReport } from './print-report.ts'
import type { Report } from './report.ts'

const report: Report = {
  command: 'crd check',
  sections: [
    {
      lead: ['two CRDs'],
      table: {
        columns: ['CRD', 'VERDICT', { wide: 'FILE' }],
        rows: [
          ['lamps.light.example.dev', 'UNSAFE', 'crds/a|b.yaml'],
          ['bulbs.light.example.dev', 'safe', 'crds/bulbs.yaml'],
        ],
      },
      notes: ['lamps: write to v2', '  Next: strata migrate <RESOURCE>'],
    },
    { notes: ['seen: 2 files'], isDetail: true },
  ],
  results: [
    {
      ...{ level: 'failed', rule: 'not seen', subject: 'lamps.light.example.dev' },
      ...{ message: '"v1" & <v2>\u0007', fix: 'migrate', file: 'crds/a b.yaml', line: 7 },
    },
    { level: 'passed', rule: 'safe', subject: 'bulbs.light.example.dev', message: 'fine' },
    { level: 'warning', rule: 'late', subject: 'ropes', message: 'soon' },
    { level: 'unknown', rule: 'unknown', subject: 'masts', message: 'no answer' },
  ],
  document: { definitions: [{ name: 'lamps' }] },
}
const atMs = Date.parse('2026-01-02T03:04:05Z')
const print = (form: (typeof outputForms)[number], verbose = false): string =>
  printReport(report, form, { atMs, verbose })

const texts: readonly [name: string, text: string, want: string][] = [
  [
    'table',
    print('table'),
    `two CRDs
CRD                       VERDICT
lamps.light.example.dev   UNSAFE
bulbs.light.example.dev   safe
lamps: write to v2
  Next: strata migrate <RESOURCE>`,
  ],
  [
    'markdown',
    print('markdown'),
    `## strata crd check

two CRDs

| CRD | VERDICT | FILE |
|---|---|---|
| lamps.light.example.dev | UNSAFE | crds/a\\|b.yaml |
| bulbs.light.example.dev | safe | crds/bulbs.yaml |

lamps: write to v2  
&nbsp;&nbsp;Next: strata migrate &lt;RESOURCE>`,
  ],
]
for (const [name, text, want] of texts) test(`-o ${name}`, () => assert.equal(text, want))

test('-o wide has all columns, and -v the details', () => {
  assert.match(print('wide'), /^lamps\S+ +UNSAFE +crds\/a\|b\.yaml$/m)
  assert.doesNotMatch(print('wide'), /seen: 2 files/)
  for (const form of ['table', 'wide', 'markdown'] as const)
    assert.match(print(form, true), /^seen: 2 files$/m)
})

test('-o json and -o yaml print the document', () => {
  assert.deepEqual(JSON.parse(print('json')), report.document)
  assert.deepEqual(parse(print('yaml')), report.document)
})

test('every form ends without a line break: the caller adds one', () => {
  for (const form of outputForms) assert.doesNotMatch(print(form), /\n$/)
})
