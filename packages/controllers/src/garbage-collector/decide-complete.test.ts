import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideComplete, stateOfUnsynced, type Unseen } from './decide-complete.ts'

const away: Unseen = { name: 'shop.dev/v1', state: 'away' }
const syncing: Unseen = { name: '/secrets', state: 'syncing' }

const rows: ReadonlyArray<
  [waitsFor: 'orphans' | 'dependents', unseen: readonly Unseen[], want: ReturnType<typeof decideComplete>]
> = [
  ['dependents', [], { do: 'proceed', despite: [] }],
  ['dependents', [away], { do: 'proceed', despite: ['shop.dev/v1'] }],
  ['dependents', [syncing], { do: 'wait', for: ['/secrets'] }],
  ['dependents', [away, syncing], { do: 'wait', for: ['/secrets'] }],
  ['orphans', [], { do: 'proceed', despite: [] }],
  ['orphans', [away], { do: 'wait', for: ['shop.dev/v1'] }],
  ['orphans', [syncing], { do: 'wait', for: ['/secrets'] }],
  ['orphans', [away, syncing], { do: 'wait', for: ['shop.dev/v1', '/secrets'] }],
]
for (const [waitsFor, unseen, want] of rows) {
  const states = unseen.map(({ state }) => state).join(' and ') || 'nothing'
  test(`an owner that waits for ${waitsFor}, unseen: ${states}`, () =>
    assert.deepEqual(decideComplete(waitsFor, unseen), want))
}

test('a kind that cannot be listed is away after two minutes', () => {
  assert.deepEqual([0, 119_999, 120_000].map(stateOfUnsynced), ['syncing', 'syncing', 'away'])
})
