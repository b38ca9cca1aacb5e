import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MigrationTarget, TargetDecision } from '@strata/controllers'
import { needsNoRewrite } from './needs-no-rewrite.ts'

const target: MigrationTarget = {
  ...{ resource: { group: 'g.dev', resource: 'things' }, fenced: false, how: 'definition' },
  definition: { uid: 'u', generation: 2, storageVersion: 'v2' },
}
const of = (...storedVersions: string[]): TargetDecision => ({ agreed: true, target, storedVersions })

const rows: readonly [name: string, decision: TargetDecision | undefined, want: string | undefined][] = [
  ['only the storage version is listed', of('v2'), 'its CRD lists no other stored version than v2'],
  ['another one is listed too', of('v1', 'v2'), undefined],
  ['only another one is listed', of('v1'), undefined],
  ['none is listed', of(), undefined],
  ['the CRD says nothing', { agreed: true, target }, undefined],
  [
    'nothing is published',
    { agreed: true, target: { ...target, how: 'unpublished' } },
    'its storage version is not published',
  ],
  ['a built-in resource', { agreed: true, target: { ...target, how: 'discovery' } }, undefined],
  ['the servers disagree, and the migration says how', { agreed: false, because: 'v1, v2' }, undefined],
  ['it could not be read', undefined, undefined],
]
for (const [name, decision, want] of rows) {
  test(`--all leaves alone: ${name}`, () => assert.equal(needsNoRewrite(decision), want))
}
