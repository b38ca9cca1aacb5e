import assert from 'node:assert/strict'
import { test } from 'node:test'
import { singleVersionRules } from './observe-admission.ts'

const lamps = { group: 'light.example.dev', resource: 'lamps' }
const rule = (apiVersions: string[], resources = ['lamps'], apiGroups = ['light.example.dev']) => ({
  apiGroups,
  apiVersions,
  resources,
})

const cases: readonly [name: string, rules: readonly ReturnType<typeof rule>[], want: string | undefined][] =
  [
    ['one version', [rule(['v1'])], 'v1'],
    ['one version, of subresources too', [rule(['v1'], ['lamps/*'])], 'v1'],
    ['one version in each of two rules', [rule(['v1']), rule(['v2'])], undefined],
    ['several versions', [rule(['v1', 'v2'])], undefined],
    ['every version', [rule(['*'])], undefined],
    ['another resource', [rule(['v1'], ['pods'])], undefined],
    ['another group', [rule(['v1'], ['lamps'], ['apps'])], undefined],
    ['everything in one version', [rule(['v1'], ['*'], ['*'])], 'v1'],
    ['no rule', [], undefined],
  ]
for (const [name, rules, want] of cases) {
  test(`admission rules: ${name}`, () => {
    assert.deepEqual(
      singleVersionRules(lamps, [{ name: 'guard', rules }]),
      want ? [{ version: want, name: 'guard' }] : [],
    )
  })
}
