import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nothingObserved, type Observed } from '../live/observed.ts'
import { observedFleet, recordOf } from '../live/observed-for-test.ts'
import { decideSight } from './decide-sight.ts'

const fleet = observedFleet(['a'], [recordOf('things', { a: 'v1' })])
const absent = { sight: 'absent', objects: [] } as const
const refused = { sight: 'refused', objects: [] } as const

const cases: ReadonlyArray<[name: string, observed: Observed, want: ReturnType<typeof decideSight>]> = [
  ['nothing was answered yet', nothingObserved, { kind: 'connecting' }],
  [
    'nothing was answered, and no server answers',
    { ...nothingObserved, unseen: { since: '', because: 'refused' } },
    { kind: 'connecting', problem: 'refused' },
  ],
  [
    'the migrations are still on their way',
    { ...fleet, versioned: nothingObserved.versioned },
    { kind: 'connecting' },
  ],
  ['a fleet of one server', fleet, { kind: 'fleet', servers: 1 }],
  ['a cluster without agreement records', { ...fleet, records: absent }, { kind: 'foreign' }],
  [
    'a user without rights',
    { ...fleet, records: refused, leases: refused },
    { kind: 'refused', resources: ['storageagreements.strata.dev', 'leases.coordination.k8s.io'] },
  ],
  [
    'a right that is missing, while the rest is still on its way',
    { ...nothingObserved, records: refused },
    { kind: 'refused', resources: ['storageagreements.strata.dev'] },
  ],
  ['neither servers nor records', observedFleet([], []), { kind: 'empty' }],
]
for (const [name, observed, want] of cases)
  test(`sight: ${name}: ${want.kind}`, () => assert.deepEqual(decideSight(observed), want))
