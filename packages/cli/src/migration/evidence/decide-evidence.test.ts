import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StorageCensusStatus } from '@strata/api'
import type { MigrationTarget } from '@strata/controllers'
import { decideEvidence, type EvidenceFacts, type PastMigration, type Verdict } from './decide-evidence.ts'

const target: MigrationTarget = {
  resource: { group: 'light.example.dev', resource: 'lamps' },
  ...{ how: 'record', fenced: true, encodingVersion: 'light.example.dev/v2', epoch: 3 },
}
const counted: StorageCensusStatus = {
  resourceVersion: '99',
  total: 2000,
  encodings: [{ encodingVersion: 'light.example.dev/v2', count: 2000 }],
  ...{ unreadable: 0, epoch: 3, agreedVersion: 'light.example.dev/v2', fenced: true, stale: 0, proven: true },
}
const v1 = (count: number) => ({ encodingVersion: 'light.example.dev/v1', count })
const v2 = { encodingVersion: 'light.example.dev/v2' }
const facts: EvidenceFacts = {
  target: { agreed: true, target },
  census: { kind: 'counted', status: counted },
  past: [],
  asked: { kind: 'samples', count: 5 },
}
const census = (more: Partial<StorageCensusStatus>): Partial<EvidenceFacts> => ({
  census: { kind: 'counted', status: { ...counted, ...more } },
})
const definition = { uid: 'u', generation: 4, storageVersion: 'v2' }
const elsewhere: MigrationTarget = {
  resource: target.resource,
  ...{ how: 'definition', fenced: false, encodingVersion: 'light.example.dev/v2', definition },
}
const past: PastMigration = {
  ...{
    where: 'a run',
    at: '12:00',
    succeeded: true,
    proof: 'observed clean',
    quarantined: 0,
    target: elsewhere,
  },
}
const foreign = (
  runs: readonly Partial<PastMigration>[],
  now: MigrationTarget = elsewhere,
): Partial<EvidenceFacts> => ({
  target: { agreed: true, target: now },
  census: { kind: 'not offered' },
  past: runs.map((each) => ({ ...past, ...each })),
})

const mixed = (old: number): StorageCensusStatus['encodings'] => [v1(old), { ...v2, count: 2000 - old }]
const unseenRecord: Partial<EvidenceFacts> = { target: { agreed: true, target: elsewhere } }
/** Fields that a census lacks if servers disagree. */
const disagreeing = {
  ...{ epoch: undefined, agreedVersion: undefined, fenced: undefined, stale: undefined, proven: false },
} as unknown as Partial<StorageCensusStatus>
const hashed: MigrationTarget = {
  ...{ resource: target.resource, how: 'discovery', fenced: false, hash: 'h' },
}

const rows: readonly [name: string, seen: Partial<EvidenceFacts>, want: Verdict, because: RegExp][] = [
  [
    'all is current, read under the fence',
    {},
    'proven',
    /^all 2,000 stored objects are in light.example.dev\/v2 \(read at revision 99\)$/,
  ],
  [
    'nothing is stored',
    census({ total: 0, encodings: [] }),
    'proven',
    /^no object is stored \(read at revision 99\)$/,
  ],
  [
    'one object is stored, under a key',
    census({ total: 1, encodings: [{ ...v2, key: 'aesgcm:key2', count: 1 }], writeKey: 'aesgcm:key2' }),
    'proven',
    /^the one stored object is in light.example.dev\/v2 under aesgcm:key2 \(read at revision 99\)$/,
  ],
  ['no fence stood', census({ proven: false, fenced: false }), 'observed clean', /writes are not fenced$/],
  [
    'something is stale',
    census({ stale: 12, encodings: mixed(12) }),
    'stale',
    /^12 of 2,000 are not in light.example.dev\/v2$/,
  ],
  [
    'something is under an old key',
    census({
      stale: 20,
      encodings: [v1(12), { ...v2, key: 'old', count: 8 }, { ...v2, key: 'new', count: 1980 }],
    }),
    'stale',
    /^12 of 2,000 are not in light.example.dev\/v2, 8 are encrypted with another key than the current one$/,
  ],
  [
    'servers disagree, and the caller may not see it',
    { ...unseenRecord, ...census({ ...disagreeing, encodings: mixed(1400) }) },
    'stale',
    /^1,400 of 2,000 are not in light.example.dev\/v2$/,
  ],
  [
    'the same, before anything else is written',
    { ...unseenRecord, ...census(disagreeing) },
    'unknown',
    /but the servers had no agreement when the store was read$/,
  ],
  ['servers agree, and the caller may not see it', unseenRecord, 'observed clean', /writes are not fenced$/],
  [
    'servers agree on something else than the definition has',
    { ...unseenRecord, ...census({ agreedVersion: 'light.example.dev/v1' }) },
    'disagreed',
    /^the target is light.example.dev\/v2, and the servers agreed on light.example.dev\/v1$/,
  ],
  [
    'no storage version is published',
    {
      ...census(disagreeing),
      target: { agreed: true, target: { resource: target.resource, how: 'unpublished', fenced: false } },
    },
    'unknown',
    /^the servers had no agreement/,
  ],
  ['something cannot be read', census({ unreadable: 1 }), 'stale', /^1 cannot be read$/],
  ['the epoch moved meanwhile', census({ epoch: 4 }), 'disagreed', /^epoch 3 became epoch 4/],
  [
    'servers disagree, whatever was counted',
    { target: { agreed: false, because: 'two versions' } },
    'disagreed',
    /^two versions$/,
  ],
  [
    'no server writes it, and nothing is stored',
    {
      target: { agreed: false, because: 'no server has reported' },
      ...census({ ...disagreeing, total: 0, encodings: [], proven: true }),
    },
    'proven',
    /^no object is stored, and no server writes it$/,
  ],
  [
    'no server writes it, and something is stored',
    { target: { agreed: false, because: 'no server has reported' }, ...census(disagreeing) },
    'disagreed',
    /^no server has reported$/,
  ],
  ['elsewhere, nothing on record', foreign([]), 'unknown', /cannot be read .* no migration is on record$/],
  [
    'elsewhere, a clean pass that still counts',
    foreign([{}]),
    'observed clean',
    /which has not changed since\. Encryption keys are not visible here: after a change of keys, migrate again$/,
  ],
  [
    'elsewhere, the definition has changed since',
    foreign([{}], { ...elsewhere, definition: { ...definition, generation: 5 } }),
    'unknown',
    /no migration to this target/,
  ],
  [
    'elsewhere, known by its hash: it may have been another meanwhile',
    foreign([{ target: hashed }], hashed),
    'unknown',
    /a hash does not show whether it changed in between$/,
  ],
  ['elsewhere, one that another migrator ran', foreign([{ target: undefined }]), 'unknown', /to this target/],
  [
    'elsewhere, one that set objects aside',
    foreign([{ quarantined: 2, succeeded: false }]),
    'stale',
    /^2 objects were set aside/,
  ],
  [
    'elsewhere, one that set an object aside',
    foreign([{ quarantined: 1, succeeded: false }]),
    'stale',
    /^1 object was set aside/,
  ],
  ['elsewhere, one that failed', foreign([{ succeeded: false }]), 'unknown', /did not succeed$/],
  ['elsewhere, the latest counts', foreign([{ succeeded: false }, {}]), 'unknown', /did not succeed$/],
  [
    'a proof holds for its epoch, whatever was tried after it',
    {
      ...foreign(
        [
          { succeeded: false, target },
          { proof: 'proven', target },
        ],
        target,
      ),
    },
    'proven',
    /a run at 12:00 migrated everything to/,
  ],
  [
    'nothing is published',
    foreign([{}], { resource: target.resource, how: 'unpublished', fenced: false }),
    'unknown',
    /^its storage version is not published/,
  ],
  [
    'a user who may not read the store gets that reason',
    { ...foreign([]), census: { kind: 'forbidden', because: 'User "u" cannot create resource' } },
    'unknown',
    /^you lack a right to read the store \(User "u" cannot create resource\), and no migration/,
  ],
  [
    'servers that refuse to read the store say why',
    { ...foreign([]), census: { kind: 'refused', because: 'spec.resource: Invalid value' } },
    'unknown',
    /^the servers refuse to read the store \(spec\.resource: Invalid value\), and no migration/,
  ],
]
for (const [name, seen, want, because] of rows) {
  test(`evidence: ${name}: ${want}`, () => {
    const evidence = decideEvidence({ ...facts, ...seen })
    assert.equal(evidence.verdict, want, evidence.because)
    assert.match(evidence.because, because)
  })
}

test('evidence: a user who may not list migrations gets that reason, and the command goes on', () => {
  const pastUnseen = 'User "u" cannot list resource "storageversionmigrations"'
  const { verdict, because } = decideEvidence({ ...facts, ...foreign([]), pastUnseen })
  assert.equal(verdict, 'unknown')
  assert.match(because, /past migrations could not be read \(User "u" cannot list/)
})

test('evidence: a census of a record that was made anew is about something else', () => {
  const bound = { target: { agreed: true, target: { ...target, recordUID: 'r' } } } as const
  const verdictOf = (recordUID: string) =>
    decideEvidence({ ...facts, ...bound, ...census({ recordUID }) }).verdict
  assert.deepEqual([verdictOf('r'), verdictOf('other')], ['proven', 'disagreed'])
})
