import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CustomResourceDefinition } from '@strata/api'
import { type CrdBefore, decideRestored, type RestoreDecision } from './decide-restored.ts'

const before: CrdBefore = { uid: 'u', storedVersions: ['v1', 'v2'] }
const crd = (stored: readonly string[], defined = ['v1', 'v2'], uid = 'u') =>
  ({
    metadata: { name: 'lamps.light.example.dev', uid, resourceVersion: '7' },
    spec: { versions: defined.map((name) => ({ name })) },
    status: { storedVersions: stored },
  }) as unknown as CustomResourceDefinition

type Row = [
  name: string,
  before: CrdBefore | undefined,
  live: CustomResourceDefinition | undefined,
  want: RestoreDecision['do'],
  storedVersions?: readonly string[] | undefined,
  gone?: readonly string[],
]
const rows: readonly Row[] = [
  ['a built-in resource has none', undefined, undefined, 'nothing'],
  ['nothing was cut', before, crd(['v1', 'v2']), 'nothing'],
  ['v1 was cut', before, crd(['v2']), 'restore', ['v1', 'v2'], []],
  [
    'a version that came since stays',
    before,
    crd(['v3'], ['v1', 'v2', 'v3']),
    'restore',
    ['v1', 'v2', 'v3'],
    [],
  ],
  ['v1 is not defined any more', before, crd(['v2'], ['v2']), 'impossible', undefined, ['v1']],
  [
    'one of two is not defined any more',
    { uid: 'u', storedVersions: ['v0', 'v1', 'v2'] },
    crd(['v2']),
    'restore',
    ['v1', 'v2'],
    ['v0'],
  ],
  ['the CRD is gone', before, undefined, 'nothing'],
  ['the CRD is another one', before, crd(['v2'], ['v1', 'v2'], 'other'), 'nothing'],
]
for (const [name, was, live, want, storedVersions, gone] of rows) {
  test(`storedVersions after upstream's migrator: ${name}`, () => {
    const decision = decideRestored(was, live)
    assert.equal(decision.do, want)
    if (decision.do === 'restore') {
      assert.deepEqual(decision.storedVersions, storedVersions)
      assert.deepEqual(decision.guard, { uid: 'u', resourceVersion: '7' })
    }
    if (gone) assert.deepEqual('gone' in decision && decision.gone, gone)
  })
}
