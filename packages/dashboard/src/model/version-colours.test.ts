import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newestFirst, VersionColours } from './version-colours.ts'

const cases: ReadonlyArray<
  [name: string, seen: readonly string[][], want: Readonly<Record<string, string>>]
> = [
  ['the newest version is cool, the others are warm', [['v1', 'v2']], { v2: 'blue', v1: 'orange' }],
  ['the order in which they are named does not count', [['v2', 'v1']], { v2: 'blue', v1: 'orange' }],
  ['a group in front of the version does not count', [['example.dev/v1', 'v2']], { v1: 'orange' }],
  ['a version that appears later changes no colour', [['v1'], ['v1', 'v2']], { v1: 'blue', v2: 'green' }],
  [
    'an older one that appears later is warm',
    [['v1'], ['v1beta1'], ['v1alpha1']],
    { v1: 'blue', v1beta1: 'orange', v1alpha1: 'vermilion' },
  ],
  ['what is not known has a colour of its own', [['v1']], { Unknown: 'unknown' }],
]
for (const [name, seen, want] of cases) {
  test(`version colours: ${name}`, () => {
    const colours = new VersionColours()
    for (const versions of seen) colours.learn('things.example.dev', versions)
    for (const [version, colour] of Object.entries(want))
      assert.equal(colours.of('things.example.dev', version), colour, version)
  })
}

test('version colours: no two of seven versions share one, and resources do not influence each other', () => {
  const colours = new VersionColours()
  const names = ['v1alpha1', 'v1beta1', 'v1beta2', 'v1', 'v2', 'v3', 'v4']
  colours.learn('things.example.dev', names)
  colours.learn('lamps.example.dev', ['v1'])
  assert.equal(new Set(names.map((each) => colours.of('things.example.dev', each))).size, 7)
  assert.equal(colours.of('lamps.example.dev', 'v1'), 'blue')
})

test('versions are ordered as Kubernetes orders them', () => {
  const wanted = ['v10', 'v2', 'v1', 'v3beta1', 'v1beta2', 'v1beta1', 'v2alpha1', 'blue', 'red']
  assert.deepEqual(wanted.toReversed().toSorted(newestFirst), wanted)
})
