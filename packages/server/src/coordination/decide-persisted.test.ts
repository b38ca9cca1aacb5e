import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgreementEntry, AgreementStatus } from '@strata/api'
import { Simulation } from '@strata/world/sim'
import { createMemoryStore, MemoryData } from '../store/homes.ts'
import type { Store } from '../store/index.ts'
import { AgreementRecords } from './agreement-records.ts'
import { type AgreementFacts, decideAgreement } from './decide-agreement.ts'
import { agreementKey, agreementKind } from './frozen-kinds.ts'
import { settlePersisted } from './settle-persisted.ts'

const entry = (
  serverID: string,
  encodingVersion: string,
  more: Partial<AgreementEntry> = {},
): AgreementEntry => ({
  serverID,
  process: `${serverID}_1`,
  encodingVersion,
  decodableVersions: ['v1', 'v2'],
  servedVersions: ['v1'],
  guarantee: 'strict',
  writeKey: 'identity',
  readableKeys: ['identity'],
  encoderFingerprint: 'f',
  ...more,
})
const decide = (facts: Partial<AgreementFacts>): AgreementStatus =>
  decideAgreement({
    previous: undefined,
    entries: [],
    liveServers: new Set((facts.entries ?? []).map(({ serverID }) => serverID)),
    now: 'now',
    ...facts,
  })
const inVote = { preferredVersion: 'v2', encoders: ['v1', 'v2'].map(encoder) }
function encoder(encodingVersion: string) {
  return { encodingVersion, fingerprint: 'f' }
}
const [v1, v2] = [entry('a', 'v1'), entry('b', 'v2')]
const loose = entry('c', 'v0', { guarantee: 'loose' })
const gap = { reason: 'RecordMadeAnew', message: '' } as const
const withoutMemory = ({ persistedVersions: _, ...status }: AgreementStatus): AgreementStatus => status

type Row = [name: string, steps: readonly Partial<AgreementFacts>[], persisted: readonly string[]]
const rows: readonly Row[] = [
  ['nobody writes nothing', [{}], []],
  ['the first entry', [{ entries: [v1] }], ['v1']],
  ['another version joins, sorted', [{ entries: [v2] }, { entries: [v1, v2] }], ['v1', 'v2']],
  ['who has gone may have written', [{ entries: [v1, v2] }, { entries: [v2] }], ['v1', 'v2']],
  ['a full stop forgets nothing', [{ entries: [v1] }, {}, { entries: [v2] }], ['v1', 'v2']],
  ['a loose server too', [{ entries: [v1, loose] }, { entries: [v1] }], ['v0', 'v1']],
  [
    'who refuses writes writes nothing',
    [{ entries: [v1, entry('b', 'v9', { refusesWrites: true })] }],
    ['v1'],
  ],
  ['a voter writes what is selected', [{ entries: [v1, entry('b', 'v2', inVote)] }], ['v1']],
  [
    'a selection that moves joins before its first write',
    [{ entries: [v1, entry('b', 'v2', inVote)] }, { entries: [entry('b', 'v2', inVote)] }],
    ['v1', 'v2'],
  ],
  ['a history that nobody recorded', [{ entries: [v1], gap }], ['Unknown', 'v1']],
  ['a server that does not record', [{ entries: [v1], unrecorded: new Set(['x']) }], ['Unknown', 'v1']],
  ['nor one that nobody sees', [{ entries: [v1], unseen: ['x_1'] }], ['Unknown', 'v1']],
  [
    'is not forgotten when it goes',
    [{ entries: [v1], unrecorded: new Set(['x']) }, { entries: [v1] }],
    ['Unknown', 'v1'],
  ],
  [
    'a proof in the epoch that stands',
    [{ entries: [v1, v2] }, { entries: [v2] }, { entries: [v2], proof: { epoch: 2, encodingVersion: 'v2' } }],
    ['v2'],
  ],
  [
    'after a gap',
    [
      { entries: [v1], gap },
      { entries: [v1], proof: { epoch: 1, encodingVersion: 'v1' } },
    ],
    ['v1'],
  ],
  [
    'a proof of an epoch that is over proves nothing',
    [{ entries: [v1, v2] }, { entries: [v2] }, { entries: [v2], proof: { epoch: 1, encodingVersion: 'v2' } }],
    ['v1', 'v2'],
  ],
  [
    'nor one whose epoch ends with it',
    [{ entries: [v1] }, { entries: [v1, v2], proof: { epoch: 1, encodingVersion: 'v1' } }],
    ['v1', 'v2'],
  ],
  [
    'nor one of another version',
    [{ entries: [v1] }, { entries: [v1], proof: { epoch: 1, encodingVersion: 'v2' } }],
    ['v1'],
  ],
  [
    'nor while a live server says nothing',
    [
      { entries: [v1], gap },
      { entries: [v1], liveServers: new Set(['a', 'b']), proof: { epoch: 1, encodingVersion: 'v1' } },
    ],
    ['Unknown', 'v1'],
  ],
  [
    'nor while not every write is guarded',
    [
      { entries: [loose], gap },
      { entries: [loose], proof: { epoch: 1, encodingVersion: 'v0' } },
    ],
    ['Unknown', 'v0'],
  ],
]
for (const [name, steps, persisted] of rows) {
  test(`persisted versions: ${name}`, () => {
    const last = steps.reduce<AgreementStatus | undefined>(
      (previous, facts) => decide({ ...facts, previous }),
      undefined,
    )
    assert.deepEqual(last?.persistedVersions, persisted)
  })
}

test('persisted versions: of a record that is older than the memory nobody knows them', () => {
  const previous = withoutMemory(decide({ entries: [v1] }))
  const next = decide({ previous, entries: [v1] })
  assert.deepEqual(next.persistedVersions, ['Unknown', 'v1'])
  assert.equal(next.epoch, previous.epoch)
})

const never = new AbortController().signal
const things = { group: 'example.dev', resource: 'things' }
const uidOf = async (store: Store): Promise<string> => {
  const [entry] = (await store.read([agreementKey(things)], never)).entries
  return (entry && agreementKind.decode(entry).metadata.uid) ?? ''
}

test('persisted versions: settling is one commit, nothing if it is settled, and refused with a reason otherwise', async () => {
  const simulation = new Simulation('settle persisted')
  const store = createMemoryStore(new MemoryData())
  const records = new AgreementRecords({ store, world: simulation.process('a') })
  const register = (...entries: AgreementEntry[]) =>
    simulation.settle(records.change(things, () => ({ entries, guards: [] }), never))
  const settle = async (epoch: number, encodingVersion: string, madeAnew = false) => {
    const recordUID = madeAnew ? 'another' : await uidOf(store)
    const proof = { recordUID, epoch, encodingVersion }
    return simulation.settle(settlePersisted(records, things, proof, never))
  }
  const revision = async () => (await store.read([agreementKey(things)], never)).entries[0]?.revision

  assert.deepEqual(await settle(1, 'v1'), { outcome: 'refused', why: 'there is no agreement record' })
  await register(v1, v2)
  assert.deepEqual(await settle(1, 'v1'), { outcome: 'refused', why: 'the servers do not agree' })
  await register(v2)
  const before = await revision()
  assert.deepEqual(await settle(1, 'v2'), { outcome: 'refused', why: 'epoch 1 is over' })
  assert.deepEqual(await settle(2, 'v1'), { outcome: 'refused', why: 'the servers agree on v2' })
  const why = 'the record was lost and made anew'
  assert.deepEqual(await settle(2, 'v2', true), { outcome: 'refused', why })
  assert.equal(await revision(), before)
  const settled = await settle(2, 'v2')
  assert.deepEqual(settled.outcome === 'settled' && settled.status.persistedVersions, ['v2'])
  const after = await revision()
  assert.equal((await settle(2, 'v2')).outcome, 'settled')
  assert.equal(await revision(), after)
})

// Otherwise: all is read and is v2; a server comes, stores v1 and goes, with the epoch; v1 is forgotten though it is stored.
test('persisted versions: a server that registers while they are being settled keeps its version there', async () => {
  const simulation = new Simulation('settle persisted against a registration')
  const memory = createMemoryStore(new MemoryData())
  const world = simulation.process('a')
  const others = new AgreementRecords({ store: memory, world })
  let meanwhile = async (): Promise<void> => {}
  const records = new AgreementRecords({
    world,
    store: {
      ...memory,
      read: (...asked) => memory.read(...asked),
      list: (...asked) => memory.list(...asked),
      commit: async (...asked) => {
        await meanwhile()
        return memory.commit(...asked)
      },
    },
  })
  const register = (...entries: AgreementEntry[]) =>
    others.change(things, () => ({ entries, guards: [] }), never)
  await simulation.settle(register(v1, v2))
  await simulation.settle(register(v2))
  meanwhile = async () => {
    meanwhile = async () => {}
    await register(v1, v2)
  }
  const proof = { recordUID: await uidOf(memory), epoch: 2, encodingVersion: 'v2' }
  const outcome = await simulation.settle(settlePersisted(records, things, proof, never))
  assert.deepEqual(outcome, { outcome: 'refused', why: 'epoch 2 is over' })
  const { stored } = (await simulation.settle(others.change(things, () => undefined, never))) as {
    stored?: { record: { status: AgreementStatus } }
  }
  assert.deepEqual(stored?.record.status.persistedVersions, ['v1', 'v2'])
})
