import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkForms, checkSarif } from '../../output/report-forms-for-test.ts'
import type { CrdPlan, RollbackRisk } from '../plan/crd-plan.ts'
import { planText } from './plan-text.ts'
import { reportUpgrades } from './report-upgrades.ts'
import type { UpgradeReport } from './upgrade-report.ts'

const lamps = 'lamps.light.example.dev'
const plan: CrdPlan = {
  ...{ kind: 'migrate-first', stored: ['v1', 'v2'], moves: [], missing: [] },
  steps: [{ do: 'migrate', to: 'v2' }, { do: 'prune', keep: 'v2', drop: ['v1'] }, { do: 'apply' }],
  rollback: { verdict: 'refused', because: 'v1 is gone', steps: [{ do: 'apply' }] },
}
const upgraded: UpgradeReport = {
  ...{ definition: lamps, file: 'all.yaml (document 2)', place: { file: 'all.yaml', line: 40 }, plan },
  ...{ result: 'upgraded', because: 'the new file is applied', exit: 'proven', objects: 20 },
  ...{ losses: [], warnings: [], fieldManager: 'helm', managedBy: [], done: [], proof: 'observed clean' },
}
const loss = { path: 'spec.a', objects: 2, examples: ['default/one'], kind: 'lost' } as const

const cases: readonly [
  name: string,
  changed: Partial<UpgradeReport>,
  want: readonly [level: string, rule: string, subject: string][],
][] = [
  ['upgraded', {}, [['passed', 'upgraded', lamps]]],
  [
    'a field would be lost',
    { result: 'lossy', losses: [{ ...loss, accepted: false }] },
    [
      ['failed', 'lossy', lamps],
      ['failed', 'field lost', `${lamps} spec.a`],
    ],
  ],
  [
    'a field is lost, and that was accepted',
    { losses: [{ ...loss, accepted: true }], savedObjects: '/home/a/saved' },
    [
      ['passed', 'upgraded', lamps],
      ['warning', 'field lost', `${lamps} spec.a`],
    ],
  ],
  [
    'a warning',
    { warnings: ['its webhook is slow'] },
    [
      ['passed', 'upgraded', lamps],
      ['warning', 'note', lamps],
    ],
  ],
  ['no answer', { result: 'unknown', exit: 'unknown' }, [['unknown', 'unknown', lamps]]],
]
for (const [name, changed, want] of cases) {
  test(`crd upgrade, in every form: ${name}`, () => {
    const report = reportUpgrades([{ ...upgraded, ...changed }])
    const found = report.results.map(({ level, rule, subject }) => [level, rule, subject])
    assert.deepEqual(found, want)
    checkForms(report)
  })
}

test('crd upgrade: wide names rollback, manager and file; SARIF leads to the line of the CRD', () => {
  const { table, wide, sarif } = checkForms(
    reportUpgrades([{ ...upgraded, result: 'stopped', because: 'weaker', next: 'accept it' }]),
  )
  assert.match(table, /^lamps\S+ +migrate-first +stopped +20 +observed clean$/m)
  assert.match(table, /^lamps\S+: weaker\n {2}Next: accept it$/m)
  assert.match(wide, / observed clean +refused +helm +all\.yaml \(document 2\)$/m)
  const [found] = checkSarif(sarif).runs[0]?.results ?? []
  assert.match(JSON.stringify(found), /"uri":"all\.yaml"\},"region":\{"startLine":40\}/)
})

test('crd upgrade: a way that cannot be gone has no steps', () => {
  assert.match(planText(upgraded), /^ {2}1\. rewrite every object in v2$/m)
  const impossible = planText({ ...upgraded, result: 'impossible', because: 'v1 was dropped' })
  assert.equal(impossible, `${lamps} (all.yaml (document 2)): 20 objects; storedVersions: v1, v2`)
})

test('crd upgrade: what was done is said, and on the way back it is about the old file', () => {
  const back: UpgradeReport = { ...upgraded, isBack: true, done: ['apply the old file'] }
  const { sections } = reportUpgrades([back])
  assert.deepEqual(sections[1]?.notes, [`${lamps}: the new file is applied`, '  Done: apply the old file'])
  assert.match(planText(back), /^ {2}3\. apply the old file$/m)
})

const rollbacks: readonly [verdict: RollbackRisk['verdict'], text: RegExp, cell: RegExp][] = [
  ['accepted', /^ {2}Rollback: the old file can be applied again: why$/m, / accepted +helm /],
  [
    'refused',
    /^ {2}Rollback: the old file is refused afterwards: why\. The same command/m,
    / refused +helm /,
  ],
  ['lost', /^ {2}Rollback: there is no way back after the last step: why$/m, / lost +helm /],
  ['not applicable', /^ {2}Rollback: why$/m, / - +helm /],
]
for (const [verdict, text, cell] of rollbacks) {
  test(`crd upgrade: the rollback of a plan: ${verdict}`, () => {
    const report = { ...upgraded, plan: { ...plan, rollback: { verdict, because: 'why', steps: [] } } }
    assert.match(planText(report), text)
    assert.match(checkForms(reportUpgrades([report])).wide, cell)
  })
}

test('crd upgrade --back: a CRD with nothing to put back is named, and has no plan', () => {
  const because = 'the upgrade created this CRD; it is left as it is, because no CRD is ever deleted'
  const { sections, results } = reportUpgrades([{ ...upgraded, isBack: true, result: 'skipped', because }])
  assert.deepEqual([sections[1]?.notes, sections.length], [[`${lamps}: ${because}`], 2])
  assert.equal(results[0]?.level, 'note')
})
