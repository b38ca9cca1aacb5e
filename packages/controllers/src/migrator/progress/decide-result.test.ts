import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endOf, failureOfOutcome } from '../../migration-object/index.ts'
import type { MigrationTarget } from '../target/target.ts'
import { decideResult, type Facts, needsAnotherPass } from './decide-result.ts'
import { emptyTally, type Tally } from './tally.ts'

const fenced: MigrationTarget = {
  resource: { group: 'g', resource: 'r' },
  how: 'record',
  fenced: true,
  encodingVersion: 'g/v2',
  epoch: 3,
}
const loose = { ...fenced, fenced: false }
const elsewhere = { ...loose, how: 'storageversion' } as const
const unpublished = { ...loose, how: 'unpublished' } as const
const busy: Tally = { ...emptyTally, migrated: 5, alreadyCurrent: 1 }
const clean: Tally = { ...emptyTally, alreadyCurrent: 6 }
const base: Facts = {
  end: { kind: 'finished' },
  stands: true,
  target: fenced,
  finished: [busy],
  quarantined: 0,
  dryRun: false,
}

type Row = readonly [name: string, facts: Partial<Facts>, wanted: string]
const cases: readonly Row[] = [
  ['fenced, the same epoch at the end', {}, 'succeeded, proven'],
  ['fenced, but an object is set aside', { quarantined: 1 }, 'incomplete, unknown'],
  [
    'fenced, and every object was read',
    { census: { stale: 0, unreadable: 0, proven: true } },
    'succeeded, proven',
  ],
  [
    'fenced, but the servers count one that is stale',
    { census: { stale: 1, unreadable: 0, proven: true } },
    'incomplete, unknown',
  ],
  [
    'fenced, but the servers count one that cannot be read',
    { census: { stale: 0, unreadable: 1, proven: true } },
    'incomplete, unknown',
  ],
  ['fenced, by the servers, and no census', { byServers: true }, 'succeeded, unknown'],
  [
    'fenced, by the servers, and a census that proves nothing',
    { byServers: true, census: { stale: 0, unreadable: 0, proven: false } },
    'succeeded, unknown',
  ],
  [
    'fenced, by the servers, and every object was read',
    { byServers: true, census: { stale: 0, unreadable: 0, proven: true } },
    'succeeded, proven',
  ],
  [
    'loose, by the servers, no census, and a second pass was clean',
    { target: loose, byServers: true, finished: [busy, clean] },
    'succeeded, observed clean',
  ],
  [
    'loose: a census is no proof',
    { target: loose, finished: [busy, clean], census: { stale: 0, unreadable: 0, proven: false } },
    'succeeded, observed clean',
  ],
  ['fenced, but the target could not be read at the end', { stands: false }, 'failed, unknown'],
  ['loose, a second pass was clean', { target: loose, finished: [busy, clean] }, 'succeeded, observed clean'],
  ['loose, only one pass', { target: loose, finished: [clean] }, 'incomplete, unknown'],
  [
    'loose, each pass found something',
    { target: loose, finished: [busy, busy, busy, busy] },
    'incomplete, unknown',
  ],
  [
    'elsewhere, a second pass was clean',
    { target: elsewhere, finished: [busy, clean] },
    'succeeded, observed clean',
  ],
  [
    'elsewhere, clean, but an object is set aside',
    { target: elsewhere, finished: [busy, clean], quarantined: 1 },
    'incomplete, unknown',
  ],
  [
    'a second pass that began anew and had rewritten',
    { target: loose, finished: [busy, { ...clean, rewrittenBefore: 1 }] },
    'incomplete, unknown',
  ],
  [
    'a second pass that may have rewritten one',
    { target: elsewhere, finished: [busy, { ...clean, perhapsRewritten: 1 }] },
    'succeeded, unknown',
  ],
  [
    'a second pass that has rewritten one, and perhaps another',
    { target: elsewhere, finished: [busy, { ...busy, perhapsRewritten: 1 }] },
    'incomplete, unknown',
  ],
  [
    'a first pass that may have rewritten one, and a clean one',
    { target: elsewhere, finished: [{ ...busy, perhapsRewritten: 1 }, clean] },
    'succeeded, observed clean',
  ],
  ['nothing published', { target: unpublished }, 'succeeded, unknown'],
  ['the target moved', { end: { kind: 'aborted', because: 'the target moved: b' } }, 'aborted, unknown'],
  ['it could not go on', { end: { kind: 'failed', because: 'b' } }, 'failed, unknown'],
  ['paused', { end: { kind: 'paused' } }, 'paused, unknown'],
  ['cancelled', { end: { kind: 'cancelled' } }, 'cancelled, unknown'],
  ['a rehearsal proves nothing', { dryRun: true }, 'rehearsed, unknown'],
  ['a rehearsal that was cancelled', { dryRun: true, end: { kind: 'cancelled' } }, 'cancelled, unknown'],
]
for (const [name, facts, wanted] of cases) {
  test(`result: ${name}: ${wanted}`, () => {
    const { outcome, proof } = decideResult({ ...base, ...facts })
    assert.equal(`${outcome}, ${proof}`, wanted)
  })
}

const texts: readonly (readonly [facts: Partial<Facts>, because: RegExp])[] = [
  [{ dryRun: true }, /^no object would be refused; nothing was written$/],
  [{ dryRun: true, quarantined: 1 }, /^1 object would be refused; nothing was written$/],
  [{ dryRun: true, quarantined: 2 }, /^2 objects would be refused; nothing was written$/],
  [
    { census: { stale: 0, unreadable: 0, proven: true, writeKey: 'aesgcm:key2' } },
    /^every stored object was read, and is in g\/v2 \(agreement record, epoch 3\), under aesgcm:key2$/,
  ],
]
for (const [facts, because] of texts) {
  test(`result: says ${because.source}`, () =>
    assert.match(decideResult({ ...base, ...facts }).because, because))
}

for (const [name, facts] of cases) {
  const { outcome, because } = decideResult({ ...base, ...facts })
  if (!['incomplete', 'aborted', 'failed'].includes(outcome)) continue
  test(`result: ${name}: read back from the status`, () => {
    const { quarantined = 0 } = facts
    const messages = [because, `3/7 not yet migrated. migration encountered unhandled error: ${because}`]
    const ends = messages.map((message) => {
      const conditions = [{ type: 'Failed', status: 'True', message }]
      return endOf({ conditions, progress: { quarantined, failure: failureOfOutcome(outcome) } })
    })
    assert.deepEqual(
      ends.map((end) => end?.outcome),
      [outcome, outcome],
    )
  })
}

const passes: readonly (readonly [
  name: string,
  target: MigrationTarget,
  finished: readonly Tally[],
  again: boolean,
])[] = [
  ['the first one', fenced, [], true],
  ['none after it where all is fenced', fenced, [busy], false],
  ['a second one where it is not (rule 14)', loose, [busy], true],
  ['a second one even if the first found nothing', loose, [clean], true],
  ['none after a clean one', loose, [busy, clean], false],
  ['a third one if the second found something', loose, [busy, busy], true],
  ['a third one if the second may have', loose, [busy, { ...clean, perhapsRewritten: 1 }], true],
  ['not for ever', loose, [busy, busy, busy, busy], false],
  ['none where nothing could be concluded', unpublished, [busy], false],
]
for (const [name, target, finished, again] of passes) {
  test(`passes: ${name}`, () =>
    assert.equal(needsAnotherPass(target, finished, { dryRun: false, mostPasses: 4 }), again))
}
test('passes: one is enough for a rehearsal', () => {
  assert.equal(needsAnotherPass(loose, [busy], { dryRun: true, mostPasses: 4 }), false)
})
