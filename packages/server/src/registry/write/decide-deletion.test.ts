import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideDeletion, type Propagation } from './decide-deletion.ts'

const map = { group: '', kind: 'ConfigMap' }
const now = '2026-01-01T00:00:00Z'

const cases: ReadonlyArray<
  [name: string, before: string[] | undefined, asked: Propagation | undefined, after: string[] | 'removed']
> = [
  ['nothing waits', undefined, undefined, 'removed'],
  ['an empty list is none', [], undefined, 'removed'],
  ['someone has to clean up', ['x/hold'], undefined, ['x/hold']],
  ['dependents first', undefined, 'Foreground', ['foregroundDeletion']],
  ['dependents stay', undefined, 'Orphan', ['orphan']],
  ['dependents later', undefined, 'Background', 'removed'],
  ['what is asked replaces what the object says', ['orphan'], 'Foreground', ['foregroundDeletion']],
  ['background takes both away', ['orphan', 'foregroundDeletion'], 'Background', 'removed'],
  ['without a wish the object decides', ['orphan'], undefined, ['orphan']],
  ['others stay before it', ['x/hold', 'orphan'], 'Foreground', ['x/hold', 'foregroundDeletion']],
  ['what is there already stays in its place', ['orphan', 'x/hold'], 'Orphan', ['orphan', 'x/hold']],
]
for (const [name, finalizers, asked, after] of cases) {
  test(`deletion: ${name}`, () => {
    const object = { metadata: { name: 'a', ...(finalizers ? { finalizers } : {}) } }
    const deletion = decideDeletion(map, object, asked, now)
    if (after === 'removed') return assert.equal(deletion.do, 'remove')
    assert.ok(deletion.do === 'mark')
    const { metadata } = deletion.object
    assert.deepEqual(metadata.finalizers, after)
    assert.equal(metadata.deletionTimestamp, now)
    assert.equal(metadata.deletionGracePeriodSeconds, 0)
  })
}

test('deletion: a second one changes nothing', () => {
  const object = { metadata: { name: 'a', finalizers: ['x/hold'], generation: 3 } }
  const first = decideDeletion(map, object, undefined, now)
  assert.ok(first.do === 'mark')
  assert.equal(first.object.metadata.generation, 4)
  const before = structuredClone(first.object)
  const second = decideDeletion(map, first.object, undefined, '2027-01-01T00:00:00Z')
  assert.deepEqual(second, { do: 'mark', object: before })
})

test('deletion: a namespace waits until it is empty, and has a phase', () => {
  const namespace = {
    metadata: { name: 'n' },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  }
  const deletion = decideDeletion({ group: '', kind: 'Namespace' }, namespace, 'Background', now)
  assert.deepEqual(deletion, {
    do: 'mark',
    object: {
      metadata: { name: 'n', deletionTimestamp: now },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Terminating' },
    },
  })
  const empty = { metadata: { name: 'n', deletionTimestamp: now }, spec: {} }
  assert.equal(decideDeletion({ group: '', kind: 'Namespace' }, empty, undefined, now).do, 'remove')
})

test('deletion: a kind without dependents ignores the propagation policy', () => {
  const event = { group: '', kind: 'Event', strategy: { hasNoDependents: true } }
  assert.equal(decideDeletion(event, { metadata: { name: 'e' } }, 'Orphan', now).do, 'remove')
})
