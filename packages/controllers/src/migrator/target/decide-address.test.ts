import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DiscoveredResource } from '@strata/client'
import { decideAddress } from './decide-address.ts'
import type { MigrationTarget } from './target.ts'

const all = ['get', 'list', 'patch', 'update']
const served = (
  versionName: string,
  verbs: readonly string[] = all,
  group = 'g.dev',
): DiscoveredResource => ({
  ...{ group, versionName, resource: 'things', kind: 'Thing', namespaced: true, verbs },
})
const target: MigrationTarget = {
  resource: { group: 'g.dev', resource: 'things' },
  how: 'definition',
  fenced: false,
  encodingVersion: 'g.dev/v1',
}

const without = (verb: string): readonly string[] => all.filter((each) => each !== verb)
type Row = readonly [name: string, served: readonly DiscoveredResource[], wanted: string]
const cases: readonly Row[] = [
  ['V1: what can be listed and patched', [served('v1')], 'v1 by patch'],
  ['through the version that is stored, not the preferred one', [served('v2'), served('v1')], 'v1 by patch'],
  [
    'X14: through the preferred one where the stored one is not served',
    [served('v3'), served('v2')],
    'v3 by patch',
  ],
  [
    'V2: what can only be created and read',
    [served('v1', ['create', 'list'])],
    'things.g.dev cannot be listed and written',
  ],
  ['V3: without patch, by update (upstream refuses)', [served('v1', without('patch'))], 'v1 by update'],
  ['V4: what cannot be listed', [served('v1', without('list'))], 'things.g.dev cannot be listed and written'],
  ['V5: what is not served', [], 'things.g.dev is not served'],
  [
    'V6: through another version where the stored one cannot be written',
    [served('v1', ['get']), served('v2')],
    'v2 by patch',
  ],
  [
    'V7: a resource of that name in another group is another one',
    [served('v1', all, 'h.dev')],
    'things.g.dev is not served',
  ],
]
for (const [name, resources, wanted] of cases) {
  test(`address: ${name}`, () => {
    const decision = decideAddress(target, resources)
    const text =
      decision.kind === 'served'
        ? `${decision.address.versionName} by ${decision.address.way}`
        : decision.because
    assert.equal(text, wanted)
  })
}
