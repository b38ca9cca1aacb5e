import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crdForTest } from '../plan/crd-for-test.ts'
import { decideCrdPlan } from '../plan/decide-crd-plan.ts'
import type { CrdLook } from './crd-look.ts'
import { reportOf, type UpgradeState } from './upgrade-report.ts'

const live = crdForTest({ versions: 'v1* v2' })
const wanted = crdForTest({ versions: 'v2*' })
const look: CrdLook = {
  ...{
    document: { name: 'lamps', crd: wanted, source: {}, place: { file: 'a.yaml', line: 1, document: 1 } },
  },
  ...{ name: 'lamps', file: 'new', live, original: live, plan: decideCrdPlan({ live, wanted }) },
  ...{ writer: { manager: 'kubectl', operation: 'Apply' }, managedBy: [], atMs: 0, objects: 1, losses: [] },
  ...{ savedObjects: undefined, warnings: [], stop: undefined, accept: 'proven' },
} as unknown as CrdLook
const state: UpgradeState = { done: [], isOver: false, stop: undefined, isStopped: true, dryRun: false }

const rows: readonly [string, Partial<CrdLook>, Partial<UpgradeState>, string, RegExp | undefined][] = [
  [
    'its bridge is applied, and the command stopped',
    {},
    { done: ['apply a bridge'] },
    'partly done',
    /--back/,
  ],
  ['the same on the way back', { file: 'old' }, { done: ['a bridge'] }, 'partly done', /^run .* to go on$/],
  ['the command stopped before it', {}, {}, 'not done', undefined],
  ['put back', { file: 'old' }, { isOver: true, isStopped: false }, 'put back', undefined],
  [
    'a plan of the way back',
    { file: 'old' },
    { isStopped: false, dryRun: true },
    'would be put back',
    undefined,
  ],
  [
    'upgraded, and objects have old owners',
    { oldOwners: '3 objects' },
    { isOver: true, isStopped: false },
    'upgraded',
    /^strata clean-managed-fields lamps: 3 objects$/,
  ],
  [
    'the same, and a weaker result was accepted',
    { oldOwners: '3 objects', accept: 'observed clean' },
    { isOver: true, isStopped: false },
    'upgraded',
    /^strata clean-managed-fields lamps --accept observed-clean: 3 objects$/,
  ],
  [
    'put back, and a weaker result was accepted',
    { file: 'old', oldOwners: '3 objects', accept: 'unknown' },
    { isOver: true, isStopped: false },
    'put back',
    /^strata clean-managed-fields lamps --accept unknown: 3 objects$/,
  ],
  ['nothing to put back', { skip: 'no record' }, {}, 'skipped', undefined],
]
for (const [name, looked, stated, result, next] of rows) {
  test(`the result of a CRD: ${name}`, () => {
    const report = reportOf({ ...look, ...looked }, { ...state, ...stated })
    assert.equal(report.result, result)
    if (next === undefined) assert.equal(report.next, undefined)
    else assert.match(report.next ?? '', next)
  })
}
