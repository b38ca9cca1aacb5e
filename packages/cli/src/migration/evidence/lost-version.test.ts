import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lostVersionOf, wayBack } from './lost-version.ts'

const cases: readonly [message: string, want: string | undefined][] = [
  ['request to convert CR from an invalid group/version: ex.dev/v1', 'ex.dev/v1'],
  [
    'storage is (re)initializing: failed to list ex.dev/v2, Kind=Tab: request to convert CR from an invalid group/version: ex.dev/v1beta1',
    'ex.dev/v1beta1',
  ],
  ['request to convert CR to an invalid group/version: ex.dev/v1', undefined],
  ['unable to transform key "/registry/a"', undefined],
]
for (const [message, want] of cases) {
  test(`the version that a CRD no longer has, by "${message}"`, () => {
    assert.equal(lostVersionOf(message), want)
  })
}

test('the way back names the version, the CRD and both commands', () => {
  const text = wayBack('ex.dev/v1', { group: 'ex.dev', resource: 'tabs' })
  assert.match(text, /add v1 back to the CRD tabs\.ex\.dev with "served: false"/)
  assert.match(text, /then strata migrate tabs\.ex\.dev; .* strata repair tabs\.ex\.dev --etcd-servers/)
})
