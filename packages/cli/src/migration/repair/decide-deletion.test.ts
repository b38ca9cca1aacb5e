import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClusterSigns } from '../../stored/cluster-signs.ts'
import { type DeletionFacts, decideDeletion } from './decide-deletion.ts'

const bytes = { key: '/registry/g.dev/lamps/n/a', value: Uint8Array.of(1), revision: 7 }
const sight = { source: 'etcd at e', isLive: true, found: [bytes], signs: new ClusterSigns() }
const base: DeletionFacts = { sight, keys: [bytes.key], strangeness: undefined, takesRevision: true }

const rows: readonly [what: string, facts: Partial<DeletionFacts>, because: RegExp | undefined][] = [
  ['bytes of the live store', {}, undefined],
  ['bytes of the live store, on another API server', { takesRevision: false }, undefined],
  [
    'bytes of a snapshot, whose revision the server compares',
    { sight: { ...sight, isLive: false } },
    undefined,
  ],
  [
    'a snapshot, and a server that compares nothing',
    { sight: { ...sight, isLive: false }, takesRevision: false },
    /name etcd itself/,
  ],
  ['no store', { sight: undefined }, /could not be saved, because no API shows them: .* --etcd-servers/],
  [
    'a store of an unknown cluster',
    { strangeness: 'nothing is alike' },
    /not known that etcd at e is of this cluster: nothing is alike/,
  ],
  [
    'no bytes',
    { sight: { ...sight, found: [] } },
    /has nothing at \/registry\/g\.dev\/lamps\/n\/a: its bytes could not be saved/,
  ],
  [
    'two places',
    { sight: { ...sight, found: [bytes, { ...bytes, key: '/registry/lamps/n/a' }] } },
    /not known which of them/,
  ],
]
for (const [what, facts, because] of rows) {
  test(`deletion of undecodable bytes: ${what}: ${because ? 'refused' : 'saved first, then deleted'}`, () => {
    const decision = decideDeletion({ ...base, ...facts })
    if (because === undefined) return assert.deepEqual(decision, { do: 'save and delete', bytes })
    assert.match(decision.do === 'refuse' ? decision.because : '', because)
  })
}
