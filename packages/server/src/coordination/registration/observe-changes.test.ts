import assert from 'node:assert/strict'
import { test } from 'node:test'
import { identityLabel, identityLabelValue, identityNamespace, type Lease } from '@strata/api'
import { Simulation } from '@strata/world/sim'
import type { CacheEvent, WatchCache } from '../../watch-cache/index.ts'
import { identityLeaseKey, leaseKind } from '../frozen-kinds.ts'
import { followMembership } from './observe-changes.ts'

const lease = (
  annotations: Record<string, string> = {},
  renewTime = '2026-01-01T00:00:00.000000Z',
): Lease => ({
  metadata: {
    name: 'a',
    namespace: identityNamespace,
    labels: { [identityLabel]: identityLabelValue },
    annotations,
  },
  spec: { holderIdentity: 'a_1', renewTime },
})
const registered = { 'strata.dev/registered': 'true' }

const cases: ReadonlyArray<[name: string, before: Lease | undefined, after: Lease, isNews: boolean]> = [
  ['a server comes', undefined, lease(), true],
  ['one renews', lease(), lease({}, '2026-01-01T00:00:10.000000Z'), false],
  ['one has registered all it has', lease(), lease(registered), true],
  [
    'one says what it refuses',
    lease(registered),
    lease({ ...registered, 'strata.dev/refuses': 'things' }),
    false,
  ],
  [
    'one refuses nothing any more',
    lease({ ...registered, 'strata.dev/refuses': 'things' }),
    lease({ ...registered, 'strata.dev/refuses': '' }),
    false,
  ],
]
for (const [name, before, after, isNews] of cases) {
  test(`membership: ${name}: ${isNews ? 'news' : 'no news'}`, async () => {
    const simulation = new Simulation(name)
    let tell: (event: CacheEvent) => void = () => {}
    const subscribe = ({ onEvent }: { onEvent: typeof tell }) => {
      tell = onEvent
      return () => {}
    }
    const cache = { collection: () => ({ subscribe }) } as unknown as WatchCache
    let told = 0
    followMembership(cache, simulation.process('b'), new AbortController().signal, () => told++)
    tell({
      kind: before ? 'modified' : 'added',
      key: identityLeaseKey('a'),
      value: leaseKind.encode(after),
      ...(before ? { previous: leaseKind.encode(before) } : {}),
      revision: 2,
    } as CacheEvent)
    await simulation.run({ untilMs: simulation.nowMs + 1_000 })
    assert.equal(told, isNews ? 1 : 0)
  })
}
