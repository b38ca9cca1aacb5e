import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NamespaceCondition } from '@strata/api'
import { decideNamespace, type Remains, type Sweep } from './decide-namespace.ts'

const clean: Sweep = { remains: [], failures: [], undiscovered: [] }
const now = '2026-01-01T00:00:00Z'
const maps = (count: number, finalizers: Record<string, number> = {}): Remains => ({
  resource: { group: '', resource: 'configmaps' },
  count,
  finalizers: new Map(Object.entries(finalizers)),
})

const ok = {
  NamespaceDeletionDiscoveryFailure: 'False All resources successfully discovered',
  NamespaceDeletionGroupVersionParsingFailure: 'False All legacy kube types successfully parsed',
  NamespaceDeletionContentFailure: 'False All content successfully deleted, may be waiting on finalization',
  NamespaceContentRemaining: 'False All content successfully removed',
  NamespaceFinalizersRemaining: 'False All content-preserving finalizers finished',
}
const cases: readonly [name: string, sweep: Partial<Sweep>, want: Partial<typeof ok>][] = [
  [
    'what is held by finalizers is named with its finalizers',
    {
      remains: [
        maps(3, { b: 2, a: 1 }),
        { ...maps(1, { a: 1 }), resource: { group: 'g', resource: 'beacons' } },
      ],
    },
    {
      NamespaceContentRemaining:
        'True Some resources are remaining: beacons.g has 1 resource instances, configmaps. has 3 resource instances',
      NamespaceFinalizersRemaining:
        'True Some content in the namespace has finalizers remaining: a in 2 resource instances, b in 2 resource instances',
    },
  ],
  [
    'what could not be deleted keeps it',
    { failures: ['x', 'y'] },
    { NamespaceDeletionContentFailure: 'True Failed to delete all resource types, 2 remaining: x, y' },
  ],
  [
    'a group that could not be learnt of keeps it: it may hold something',
    { undiscovered: ['g/v1: no backend'] },
    {
      NamespaceDeletionDiscoveryFailure: 'True Discovery failed for some groups, 1 failing: g/v1: no backend',
    },
  ],
]
for (const [name, sweep, want] of cases) {
  test(`namespace: ${name}`, () => {
    const decision = decideNamespace({ ...clean, ...sweep }, [], now)
    assert.ok(decision.do === 'wait' && decision.changed)
    assert.deepEqual(
      Object.fromEntries(
        decision.conditions.map(({ type, status, message }) => [type, `${status} ${message}`]),
      ),
      { ...ok, ...want },
    )
  })
}

test('namespace: it is removed if it is empty and everything was discovered', () => {
  assert.deepEqual(decideNamespace(clean, [], now), { do: 'finish' })
})

test('namespace: unchanged conditions keep their time, and foreign conditions stay', () => {
  const other: NamespaceCondition = { type: 'Other', status: 'True' }
  const first = decideNamespace({ ...clean, remains: [maps(2)] }, [other], now)
  assert.ok(first.do === 'wait')
  const later = '2026-01-01T00:00:09Z'
  const same = decideNamespace({ ...clean, remains: [maps(2)] }, first.conditions, later)
  assert.deepEqual(same, { do: 'wait', conditions: first.conditions, changed: false })
  const fewer = decideNamespace({ ...clean, remains: [maps(1)] }, first.conditions, later)
  assert.ok(fewer.do === 'wait' && fewer.changed)
  assert.deepEqual(
    fewer.conditions.filter(({ lastTransitionTime }) => lastTransitionTime === later).map(({ type }) => type),
    ['NamespaceContentRemaining'],
  )
  assert.ok(fewer.conditions.includes(other))
})
