import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keysOfObject, type ObjectPlace } from './keys-of-object.ts'

const base = { isCustom: false, name: 'a' }
const place = (group: string, resource: string, more: Partial<ObjectPlace> = {}): ObjectPlace => ({
  ...{ ...base, resource: { group, resource }, namespace: 'n' },
  ...more,
})
const rows: readonly [what: string, place: ObjectPlace, keys: readonly string[]][] = [
  ['the core group', place('', 'configmaps'), ['/registry/configmaps/n/a']],
  ['services, which are specs', place('', 'services'), ['/registry/services/specs/n/a']],
  [
    'nodes, which were minions',
    { ...base, resource: { group: '', resource: 'nodes' } },
    ['/registry/minions/a'],
  ],
  ['a CRD', place('g.dev', 'lamps', { isCustom: true }), ['/registry/g.dev/lamps/n/a']],
  [
    'a CRD with the plural of another kind',
    place('g.dev', 'pods', { isCustom: true }),
    ['/registry/g.dev/pods/n/a'],
  ],
  ['a group without a dot', place('apps', 'deployments'), ['/registry/deployments/n/a']],
  [
    'ingresses',
    place('networking.k8s.io', 'ingresses'),
    ['/registry/ingress/n/a', '/registry/networking.k8s.io/ingresses/n/a'],
  ],
  [
    'what the record names',
    place('g.dev', 'lamps', { storagePrefix: 'odd/place' }),
    ['/registry/odd/place/n/a'],
  ],
]
for (const [what, each, keys] of rows)
  test(`keys of an object: ${what}`, () => assert.deepEqual(keysOfObject('registry', each), keys))
