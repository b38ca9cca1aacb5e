import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crdForTest } from '../../crd/plan/crd-for-test.ts'
import { nextAfterRefusal, whyShort } from './prune-definition.ts'

const cases = [
  ['stale', 'strata migrate lamps'],
  ['unknown', 'strata migrate lamps'],
  ['observed clean', 'strata prune lamps --accept observed-clean, if that is enough'],
  ['disagreed', 'strata status lamps'],
  // It was proven of another definition.
  ['proven', 'strata verify lamps'],
] as const

for (const [verdict, next] of cases) {
  test(`prune: refused, ${verdict}: next is ${next}`, () =>
    assert.equal(nextAfterRefusal('lamps', { verdict }), next))
}

test('prune: refused because objects were set aside: next is strata repair', () =>
  assert.equal(nextAfterRefusal('lamps', { verdict: 'stale', setAside: 1 }), 'strata repair lamps'))

const running = /^a storage migration is running \(StorageMigrating\)/
const tooEarly = /^storedVersions may have been pruned too early \(StorageMigrating: MigrationFailed\)/
const shortLists: readonly (readonly [
  reason: string | undefined,
  verdict: Parameters<typeof whyShort>[1],
  accept: Parameters<typeof whyShort>[2],
  want: RegExp | undefined,
])[] = [
  [undefined, 'unknown', 'proven', undefined],
  ['MigrationSucceeded', 'unknown', 'proven', undefined],
  ['MigrationRunning', 'unknown', 'proven', running],
  ['MigrationRunning', 'unknown', 'unknown', undefined],
  ['MigrationRunning', 'stale', 'proven', running],
  ['MigrationRunning', 'observed clean', 'proven', running],
  ['MigrationRunning', 'observed clean', 'observed clean', undefined],
  ['MigrationRunning', 'proven', 'proven', undefined],
  ['MigrationFailed', 'unknown', 'proven', tooEarly],
]
for (const [reason, verdict, accept, want] of shortLists) {
  test(`prune: storedVersions has one version, ${reason}, ${verdict}, --accept ${accept}`, () => {
    const crd = crdForTest({ versions: 'v1 v2*', stored: ['v2'], ...(reason ? { migrating: reason } : {}) })
    const because = whyShort(crd, verdict, accept)
    if (want === undefined) assert.equal(because, undefined)
    else assert.match(because ?? '', want)
  })
}
