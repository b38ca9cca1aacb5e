import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Claim, claimText, type MigrationGroup, viewOf } from '@strata/insight'
import { ChangeTimer, claimTimes } from '../migration-object/index.ts'
import { ClaimObserver } from './claim-observer.ts'

const us: Claim = { by: 'runner', id: 'us', hostname: 'here', bootId: 'b', pid: 1, startTicks: '1' }
const { foreignStartMs } = claimTimes

interface Seen {
  readonly group?: MigrationGroup
  readonly is?: readonly string[]
  readonly claim?: Claim
  readonly isStrata?: boolean
  readonly silentForMs?: number
}

function look(seen: Seen) {
  const { group = 'storagemigration.k8s.io', is = [], claim, isStrata = false, silentForMs = 0 } = seen
  const sight = new ClaimObserver({
    claim: us,
    processes: { isGone: () => false },
    stillness: { unchangedForMs: () => silentForMs, keepOnly: () => {} } as unknown as ChangeTimer,
    isStrata: () => isStrata,
  })
  const annotations = claim ? { 'strata.dev/claimed-by': claimText(claim) } : {}
  const view = viewOf(group, {
    metadata: { name: 'a', uid: 'a', resourceVersion: '7', annotations },
    spec: { resource: { group: 'g.dev', resource: 'things' } },
    status: { conditions: is.map((type) => ({ type, status: 'True' })) },
  })
  sight.look([])
  return { does: sight.decide(view).do, tidyAfterMs: sight.tidyAfterMs(view) }
}

const rows: readonly [name: string, seen: Seen, want: 'take' | 'leave'][] = [
  ["one of upstream's kind, elsewhere, that no migrator has begun", {}, 'leave'],
  ['the same, and kube-controller-manager did not begin it', { silentForMs: foreignStartMs }, 'take'],
  ['the same, and it did', { is: ['Running'], silentForMs: foreignStartMs }, 'leave'],
  ["R1: one of upstream's kind, on Strata", { isStrata: true }, 'take'],
  ['one of a kind that no other migrator runs', { group: 'migration.k8s.io' }, 'take'],
  ['one that is ours', { claim: us }, 'take'],
]
for (const [name, seen, want] of rows) {
  test(`whose it is: ${name}: ${want}`, () => assert.equal(look(seen).does, want))
}

test('whose it is: one that is not listed any more is forgotten', () => {
  let nowMs = 0
  const sight = new ClaimObserver({
    ...{ claim: us, processes: { isGone: () => false }, isStrata: () => false },
    stillness: new ChangeTimer({ monotonicMs: () => nowMs } as ConstructorParameters<typeof ChangeTimer>[0]),
  })
  const view = viewOf('storagemigration.k8s.io', { metadata: { name: 'a', uid: 'a', resourceVersion: '7' } })
  const look = (...listed: Parameters<typeof sight.look>[0]) => {
    sight.look(listed)
    nowMs += foreignStartMs
  }
  look(view)
  assert.equal(sight.decide(view).do, 'take')
  look()
  assert.equal(sight.decide(view).do, 'leave')
})

test("R4 to R7: one that upstream has ended is upstream's to tidy up after, for a while", () => {
  const ended: Seen = { is: ['Running', 'Succeeded'] }
  assert.equal(look(ended).tidyAfterMs, foreignStartMs)
  assert.equal(look({ ...ended, silentForMs: foreignStartMs }).tidyAfterMs, 0)
  assert.equal(look({ ...ended, claim: us }).tidyAfterMs, 0)
  assert.equal(look({ ...ended, isStrata: true }).tidyAfterMs, 0)
})
