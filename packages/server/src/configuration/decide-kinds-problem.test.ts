import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beacons } from '../../../../examples/lighthouse/beacon.ts'
import { builtInResources } from './built-in-resources.ts'
import { decideKindsProblem } from './decide-kinds-problem.ts'

const lease = {
  ...{ group: 'coordination.k8s.io', plural: 'leases', resource: 'leases', kind: 'Contract' },
  storagePrefix: 'mine/leases',
}
const lamp = {
  group: 'a.dev',
  plural: 'lamps',
  resource: 'lamps',
  kind: 'Lamp',
  storagePrefix: 'a.dev/lamps',
}
const cases: readonly (readonly [name: string, kinds: readonly (typeof lamp)[], want: RegExp | undefined])[] =
  [
    ['kinds of its own', [beacons, lamp], undefined],
    [
      'the name of a built-in kind',
      [lease],
      /^leases\.coordination\.k8s\.io: the server has this resource itself; give/,
    ],
    [
      'the kind of a built-in resource',
      [{ ...lease, plural: 'hires', resource: 'hires', kind: 'Lease' }],
      /^hires\.coordination\.k8s\.io: leases\.coordination\.k8s\.io has the kind Lease already/,
    ],
    [
      'the same name twice',
      [lamp, { ...lamp, storagePrefix: 'other' }],
      /^lamps\.a\.dev: two kinds have this name/,
    ],
    [
      'keys of a built-in kind',
      [{ ...lamp, storagePrefix: 'leases/lamps' }],
      /^lamps\.a\.dev: its storagePrefix leases\/lamps is within or around that of leases\.coordination\.k8s\.io \(leases\)/,
    ],
    [
      'keys around those of another kind',
      [lamp, { ...lamp, plural: 'all', resource: 'all', kind: 'All', storagePrefix: 'a.dev' }],
      /^all\.a\.dev: its storagePrefix a\.dev is within or around that of lamps\.a\.dev/,
    ],
    [
      'a prefix that only begins alike',
      [lamp, { ...lamp, plural: 'all', resource: 'all', kind: 'All', storagePrefix: 'a.dev/lamps2' }],
      undefined,
    ],
  ]
for (const [name, kinds, want] of cases) {
  test(`kinds of a program: ${name}`, () => {
    const problem = decideKindsProblem(kinds, builtInResources)
    if (want) assert.match(problem ?? 'no problem', want)
    else assert.equal(problem, undefined)
  })
}

test('kinds of a program: the built-in kinds do not clash among themselves', () => {
  assert.equal(decideKindsProblem(builtInResources, []), undefined)
})
