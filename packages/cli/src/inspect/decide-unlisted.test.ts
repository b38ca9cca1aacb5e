import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideUnlisted, unlistedOf } from './decide-unlisted.ts'
import { countedIn, lamps, possiblyIn } from './facts-for-test.ts'

const now = lamps.definition
assert.ok(now)
const both = { ...now, storedVersions: ['v1', 'v2'] }

const rows: readonly [what: string, Parameters<typeof decideUnlisted>, want: readonly string[]][] = [
  ['all are listed', [countedIn({ v1: 1, v2: 2 }), both], []],
  ['one is not', [countedIn({ v1: 300, v2: 2 }), now], ['v1']],
  ['one was, when the store was read', [countedIn({ v1: 300 }), now, both], []],
  ['one is now', [countedIn({ v1: 300 }), both, now], []],
  ['only possible', [possiblyIn('v1'), now], []],
  ['perhaps of another resource', [countedIn({ v1: 1 }, { doubt: 'which' }), now], []],
  ['another group', [countedIn({ 'extensions/v1': 1 }), now], []],
  ['no CRD', [countedIn({ v1: 1 }), undefined], []],
]
for (const [what, args, want] of rows)
  test(`not in storedVersions: ${what}`, () => assert.deepEqual(decideUnlisted(...args), want))

test('not in storedVersions: what follows, and the way out', () => {
  const stored = countedIn({ v1: 300, v2: 1 })
  const [loose] = unlistedOf({ ...lamps, stored, unlisted: ['v1'] })
  assert.match(
    loose?.text ?? '',
    /^300 objects are stored in v1, but status\.storedVersions lists only v2: the server lets v1 be removed .* cannot decode them$/,
  )
  assert.equal(loose?.next, 'strata migrate lamps.light.example.dev')
  const [gone] = unlistedOf({ ...lamps, stored: countedIn({ v0: 1 }), unlisted: ['v0'] })
  assert.match(
    gone?.text ?? '',
    /^1 object is stored in v0, .* the CRD has no v0 any more, so no server can decode it$/,
  )
  assert.match(gone?.next ?? '', /v0/)
  assert.deepEqual(unlistedOf(lamps), [])
})
