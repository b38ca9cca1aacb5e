import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printReport } from '../../output/print-report.ts'
import type { MigrationPlan } from '../plan/planned-resource.ts'
import { reportPlan } from './report-plan.ts'

const objects = Array.from({ length: 7 }, (_, index) => ({
  namespace: 'a',
  name: `o-${index}`,
  message: 'bad',
}))
const plan: MigrationPlan = {
  ...{ kind: 'MigrationPlan', version: 1, createdAt: '2026-01-01T00:00:00Z', cluster: 'c' },
  resources: [
    {
      ...{ resource: 'lamps.g.dev', exit: 'incomplete', because: '9 objects would be refused', total: 1_200 },
      ...{
        refused: [{ class: 'schema', count: 9, objects }],
        unknown: [],
        etaSeconds: 90,
        targetText: 'g.dev/v2',
      },
    },
    {
      ...{ resource: 'maps.g.dev', exit: 'rehearsed', because: 'no object would be refused', total: 3 },
      ...{ refused: [], unknown: [], etaSeconds: 71, targetText: 'g.dev/v1' },
    },
  ],
}

test('plan report: a row for each resource, classes with what helps, and the next command', () => {
  const text = printReport(reportPlan(plan, 'plan.json'), 'table', { atMs: 0 })
  assert.match(text, /^lamps\.g\.dev +refusals +1,200 +9 +0 +about 90s +g\.dev\/v2$/m)
  assert.match(text, /^maps\.g\.dev +ready +3 +0 +0 +about 71s +g\.dev\/v1$/m)
  assert.match(text, /^ {2}schema: 9; these objects do not fit the schema/m)
  assert.match(text, /^ {4}a\/o-0: bad$/m)
  assert.match(text, /^ {4}… and 4 more$/m)
  assert.match(text, /Next: strata migrate --plan plan\.json$/)
  assert.doesNotMatch(text, /maps\.g\.dev: no object/, 'what is ready needs no remark')
})

test('plan report: the document is the plan itself, and Markdown has the table', () => {
  const report = reportPlan(plan, undefined)
  assert.deepEqual(JSON.parse(printReport(report, 'json', { atMs: 0 })), plan)
  assert.match(printReport(report, 'markdown', { atMs: 0 }), /\| lamps\.g\.dev \| refusals \|/)
})

test('plan report: ownership that the writes would drop is said, also of a resource that is ready', () => {
  const resources = plan.resources.map((each) => ({
    ...each,
    droppedOwnership: { objects: 1, versions: ['v1beta1'] },
  }))
  const text = printReport(reportPlan({ ...plan, resources }, undefined), 'table', { atMs: 0 })
  assert.match(
    text,
    /^ {2}managedFields of 1 object names v1beta1, .* strata clean-managed-fields maps\.g\.dev /m,
  )
})
