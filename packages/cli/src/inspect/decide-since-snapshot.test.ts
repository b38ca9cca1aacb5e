import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DefinitionFacts } from '../stored/definition-facts.ts'
import { whyMayHaveChanged } from './decide-since-snapshot.ts'
import { lamps } from './facts-for-test.ts'

const now: Partial<DefinitionFacts> = { ...lamps.definition, uid: 'a', generation: 3 }
const cases: readonly [
  name: string,
  then: Partial<DefinitionFacts> | undefined,
  now: Partial<DefinitionFacts> | undefined,
  want: RegExp | undefined,
][] = [
  ['the CRD is the same', now, now, undefined],
  ['storedVersions has grown since', { ...now, storedVersions: [] }, now, undefined],
  ['a built-in kind', undefined, undefined, /^no API shows since when/],
  ['the CRD is not in the snapshot', undefined, now, /^the snapshot does not show its CRD/],
  ['the CRD was changed', { ...now, generation: 2 }, now, /^its CRD was changed since/],
  ['the CRD was created again', { ...now, uid: 'b' }, now, /^its CRD was changed since/],
  ['a CRD without a generation', { ...lamps.definition }, { ...lamps.definition }, /^its CRD was changed/],
  [
    'storedVersions was cut',
    { ...now, storedVersions: ['v1', 'v2'] },
    now,
    /^status\.storedVersions .* v1 since/,
  ],
]
for (const [name, then, served, want] of cases) {
  test(`since a snapshot: ${name}`, () => {
    const why = whyMayHaveChanged(then as DefinitionFacts | undefined, served as DefinitionFacts | undefined)
    if (want) assert.match(why ?? '', want)
    else assert.equal(why, undefined)
  })
}
