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

const rows: readonly [name: string, seen: Partial<EvidenceFacts>, want: Verdict, because: RegExp][] = [
  ['all is current, read under the fence', {}, 'proven', /^all 2,000 were read at revision 99/],
  [
    'no fence stood',
    census({ proven: false, fenced: false }),
    'observed clean',
    /no fence keeps others out$/,
  ],
  [
    'something is stale',
    census({ stale: 12, encodings: [v1(12), { encodingVersion: 'light.example.dev/v2', count: 1988 }] }),
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
    /^12 of 2,000 are not in light.example.dev\/v2, 8 are under another key than is written with$/,
  ],
  ['something cannot be read', census({ unreadable: 1 }), 'stale', /^1 cannot be read$/],
  ['the epoch moved meanwhile', census({ epoch: 4 }), 'disagreed', /^epoch 3 became epoch 4/],
  [
    'servers disagree, whatever was counted',
    { target: { agreed: false, because: 'two versions' } },
    'disagreed',
    /^two versions$/,
  ],
  ['elsewhere, nothing on record', foreign([]), 'unknown', /cannot be read .* no migration is on record$/],
  [
    'elsewhere, a clean pass that still counts',
    foreign([{}]),
    'observed clean',
    /which has not moved since$/,
  ],
  [
    'elsewhere, the definition has changed since',
    foreign([{}], { ...elsewhere, definition: { ...definition, generation: 5 } }),
    'unknown',
    /no migration to this target/,
  ],
  ['elsewhere, one that somebody else ran', foreign([{ target: undefined }]), 'unknown', /to this target/],
  [
    'elsewhere, one that set objects aside',
    foreign([{ quarantined: 2, succeeded: false }]),
    'stale',
    /^2 were set aside/,
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
    /a run at 12:00 brought everything to/,
  ],
  [
    'nothing is published',
    foreign([{}], { resource: target.resource, how: 'unpublished', fenced: false }),
    'unknown',
    /^nothing is published/,
  ],
  [
    'who may not read the store is told so',
    { ...foreign([]), census: { kind: 'refused', because: 'no right' } },
    'unknown',
    /may not be read \(no right\)/,
  ],
]
for (const [name, seen, want, because] of rows) {
  test(`evidence: ${name}: ${want}`, () => {
    const evidence = decideEvidence({ ...facts, ...seen })
    assert.equal(evidence.verdict, want, evidence.because)
    assert.match(evidence.because, because)
  })
}
