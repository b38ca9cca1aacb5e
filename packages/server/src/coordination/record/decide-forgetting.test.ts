import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgreementEntry } from '@strata/api'
import { type AgreementFacts, decideAgreement } from './decide-agreement.ts'
import { type EmptinessFacts, provesEmpty, refuseForgetting } from './decide-forgetting.ts'

const entry = (serverID: string, more: Partial<AgreementEntry> = {}): AgreementEntry => ({
  ...{ serverID, process: `${serverID}_1`, encodingVersion: 'v1', encoderFingerprint: 'f' },
  ...{ decodableVersions: ['v1'], servedVersions: ['v1'], guarantee: 'strict' },
  ...{ writeKey: 'k1', readableKeys: ['k1'] },
  ...more,
})
const [a, refusing] = [entry('a'), entry('b', { refusesWrites: true, writeKey: 'k2' })]
const loose = entry('c', { guarantee: 'loose' })

/** The record after these changes, each after the other. */
function recordAfter(...steps: readonly Partial<AgreementFacts>[]) {
  const facts = { previous: undefined, entries: [], liveServers: new Set<string>(), now: 'now' }
  const [first = {}, ...rest] = steps
  return rest.reduce(
    (previous, step) => decideAgreement({ ...facts, ...step, previous }),
    decideAgreement({ ...facts, ...first }),
  )
}

type Row = [
  name: string,
  steps: readonly Partial<AgreementFacts>[],
  refusal: RegExp | undefined,
  live?: string,
]
const rows: readonly Row[] = [
  ['the last server has left', [{ entries: [a] }, {}], undefined],
  ['those who are there refuse writes', [{ entries: [a] }, { entries: [refusing] }], undefined],
  ['a server writes it', [{ entries: [a, refusing] }], /^a may write it$/],
  ['a live server does not record', [{ entries: [a] }, {}], /without recording/, 'x'],
  [
    'one that did not record has not been followed by one that does',
    [{ entries: [a], unrecorded: new Set(['x']) }, {}],
    /without recording/,
  ],
  ['a server that nobody sees may be there', [{ unseen: ['x_1'] }, {}], /without recording/],
  ['a loose server removed its own entry', [{ entries: [loose] }, { leavingProcess: 'c_1' }], undefined],
  ['a loose server left without', [{ entries: [loose] }, {}], /c may still write unguarded/],
  ['a loose server is there', [{ entries: [{ ...loose, refusesWrites: true }] }], /not guarded: c/],
]
for (const [name, steps, refusal, live] of rows) {
  test(`forgetting: ${refusal ? 'refused' : 'allowed'} when ${name}`, () => {
    const why = refuseForgetting(recordAfter(...steps), new Set(live === undefined ? [] : [live]))
    if (refusal) assert.match(why ?? 'allowed', refusal)
    else assert.equal(why, undefined)
  })
}

const readings: readonly [string, EmptinessFacts, boolean][] = [
  ['nothing found after the record moved', { movedAt: 7, readAt: 9, found: 0 }, true],
  ['nothing found at the revision of the move', { movedAt: 7, readAt: 7, found: 0 }, true],
  ['nothing found before the record moved', { movedAt: 7, readAt: 6, found: 0 }, false],
  ['something found', { movedAt: 7, readAt: 9, found: 1 }, false],
]
for (const [name, facts, isProof] of readings) {
  test(`forgetting: ${name} ${isProof ? 'proves' : 'does not prove'} that nothing is stored`, () =>
    assert.equal(provesEmpty(facts), isProof))
}

test('forgetting: the record names neither versions nor keys, in another epoch, and the next server begins anew', () => {
  const left = recordAfter({ entries: [a] }, {})
  const facts = { entries: [], liveServers: new Set<string>(), now: 'now' }
  const emptied = decideAgreement({ ...facts, previous: left, isEmptied: true })
  assert.deepEqual([emptied.encodings, emptied.persisted, emptied.epoch], [[], [], left.epoch + 1])
  const entries = [entry('a', { writeKey: 'k2' })]
  const next = decideAgreement({ ...facts, entries, previous: emptied })
  assert.deepEqual(next.persisted, [{ encodingVersion: 'v1', writeKey: 'k2', epoch: left.epoch + 2 }])
})

test('forgetting: nothing is forgotten by a decision in which somebody writes', () => {
  const facts = { entries: [a], liveServers: new Set<string>(), now: 'now' }
  const standing = recordAfter({ entries: [a] })
  assert.deepEqual(decideAgreement({ ...facts, previous: standing, isEmptied: true }), {
    ...standing,
  })
})
