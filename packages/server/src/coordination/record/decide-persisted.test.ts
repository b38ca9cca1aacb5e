import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AgreementEntry, type AgreementStatus, persistedKeysOf } from '@strata/api'
import { Simulation } from '@strata/world/sim'
import { createMemoryStore, MemoryData } from '../../store/homes.ts'
import type { Store } from '../../store/index.ts'
import { agreementKey, agreementKind } from '../frozen-kinds.ts'
import { AgreementRecords } from './agreement-records.ts'
import type { AgreementFacts } from './decide-agreement.ts'
import { decide, entry } from './decide-for-test.ts'
import { prunePersisted } from './prune-persisted.ts'

const inVote = { preferredVersion: 'v2', encoders: ['v1', 'v2'].map(encoder) }
function encoder(encodingVersion: string) {
  return { encodingVersion, fingerprint: 'f' }
}
const [v1, v2] = [entry('a', 'v1'), entry('b', 'v2')]
const loose = entry('c', 'v0', { guarantee: 'loose' })
const gap = { reason: 'RecordMadeAnew', message: '' } as const
const withoutMemory = ({ persisted: _, ...status }: AgreementStatus): AgreementStatus => status
const proof = (epoch: number, encodingVersion: string, writeKey = 'identity') => ({
  proof: { epoch, encodingVersion, writeKey },
})
const sealed = (serverID: string, writeKey: string) => entry(serverID, 'v1', { writeKey })
/** `v1@2` for the version, `v1/k@2` with a key; the epoch is the latest. */
const text = ({ persisted = [] }: AgreementStatus): readonly string[] =>
  persisted.map(({ encodingVersion, writeKey, epoch, reason }) => {
    const under = writeKey === 'identity' || reason !== undefined ? '' : `/${writeKey}`
    return `${encodingVersion}${under}@${epoch}${reason ? ` ${reason}` : ''}`
  })

type Row = [name: string, steps: readonly Partial<AgreementFacts>[], persisted: readonly string[]]
const rows: readonly Row[] = [
  ['nobody writes nothing', [{}], []],
  ['the first entry', [{ entries: [v1] }], ['v1@1']],
  ['another version joins', [{ entries: [v2] }, { entries: [v1, v2] }], ['v1@2', 'v2@2']],
  [
    'each once, whatever its encoder',
    [{ entries: [v1, { ...v1, serverID: 'b', encoderFingerprint: 'g' }] }],
    ['v1@1'],
  ],
  ['who has gone may have written', [{ entries: [v1, v2] }, { entries: [v2] }], ['v2@2', 'v1@1']],
  [
    'A, B, A: the one in between stays',
    [{ entries: [v1] }, { entries: [v2] }, { entries: [v1] }],
    ['v1@3', 'v2@2'],
  ],
  ['a full stop forgets nothing', [{ entries: [v1] }, {}, { entries: [v2] }], ['v2@2', 'v1@1']],
  [
    'a loose server too',
    [{ entries: [v1, loose] }, { entries: [v1], leavingProcess: loose.process }],
    ['v1@2', 'v0@1'],
  ],
  [
    'one that went without a word may write on, in the epoch that follows',
    [{ entries: [v1, loose] }, { entries: [v1] }],
    ['v0@2', 'v1@2'],
  ],
  [
    'until it has been watched for long enough',
    [
      { entries: [v1, loose], previousRevision: 1 },
      { entries: [v1], previousRevision: 2 },
      { entries: [v1], settledLoose: new Set([`${loose.process} 2`]) },
    ],
    ['v1@3', 'v0@2'],
  ],
  [
    'who refuses writes writes nothing',
    [{ entries: [v1, entry('b', 'v9', { refusesWrites: true })] }],
    ['v1@1'],
  ],
  ['a voter writes what is selected', [{ entries: [v1, entry('b', 'v2', inVote)] }], ['v1@1']],
  [
    'a selection that moves joins before its first write',
    [{ entries: [v1, entry('b', 'v2', inVote)] }, { entries: [entry('b', 'v2', inVote)] }],
    ['v2@2', 'v1@1'],
  ],
  [
    'another key is another encoding',
    [{ entries: [sealed('a', 'k1')] }, { entries: [sealed('a', 'k2')] }],
    ['v1/k2@2', 'v1/k1@1'],
  ],
  ['a history that nobody recorded', [{ entries: [v1], gap }], ['v1@1', 'Unknown@0 RecordMadeAnew']],
  [
    'a server that does not record',
    [{ entries: [v1], unrecorded: new Set(['x']) }],
    ['Unknown@1 Unrecorded', 'v1@1'],
  ],
  ['nor one that nobody sees', [{ entries: [v1], unseen: ['x_1'] }], ['Unknown@1 Unrecorded', 'v1@1']],
  ['both', [{ entries: [v1], unrecorded: new Set(['x']), gap }], ['Unknown@1 Unrecorded', 'v1@1']],
  [
    'is not forgotten when it goes',
    [{ entries: [v1], unrecorded: new Set(['x']) }, { entries: [v1] }],
    ['v1@2', 'Unknown@1 Unrecorded'],
  ],
  [
    'a proof in the epoch that stands',
    [{ entries: [v1, v2] }, { entries: [v2] }, { entries: [v2], ...proof(2, 'v2') }],
    ['v2@2'],
  ],
  [
    'after a gap',
    [
      { entries: [v1], gap },
      { entries: [v1], ...proof(1, 'v1') },
    ],
    ['v1@1'],
  ],
  [
    'after one that did not record',
    [{ entries: [v1], unrecorded: new Set(['x']) }, { entries: [v1] }, { entries: [v1], ...proof(2, 'v1') }],
    ['v1@2'],
  ],
  [
    'a proof of an epoch that is over proves nothing',
    [{ entries: [v1, v2] }, { entries: [v2] }, { entries: [v2], ...proof(1, 'v2') }],
    ['v2@2', 'v1@1'],
  ],
  [
    'nor one whose epoch ends with it',
    [{ entries: [v1] }, { entries: [v1, v2], ...proof(1, 'v1') }],
    ['v1@2', 'v2@2'],
  ],
  [
    'nor one of another version',
    [
      { entries: [v1], gap },
      { entries: [v1], ...proof(1, 'v2') },
    ],
    ['v1@1', 'Unknown@0 RecordMadeAnew'],
  ],
  [
    'nor one of another key',
    [
      { entries: [sealed('a', 'k1')] },
      { entries: [sealed('a', 'k2')] },
      { entries: [sealed('a', 'k2')], ...proof(2, 'v1', 'k1') },
    ],
    ['v1/k2@2', 'v1/k1@1'],
  ],
  [
    'nor while there are several keys',
    [
      { entries: [v1], gap },
      { entries: [v1, sealed('b', 'k1')] },
      { entries: [v1, sealed('b', 'k1')], ...proof(2, 'v1') },
    ],
    ['v1@2', 'v1/k1@2', 'Unknown@0 RecordMadeAnew'],
  ],
  [
    'a rotation that is proven forgets the key before',
    [
      { entries: [sealed('a', 'k1')] },
      { entries: [sealed('a', 'k2')] },
      { entries: [sealed('a', 'k2')], ...proof(2, 'v1', 'k2') },
    ],
    ['v1/k2@2'],
  ],
  [
    'nor while a live server says nothing',
    [
      { entries: [v1], gap },
      { entries: [v1], liveServers: new Set(['a', 'b']), ...proof(1, 'v1') },
    ],
    ['v1@1', 'Unknown@0 RecordMadeAnew'],
  ],
  [
    'nor while not every write is guarded',
    [
      { entries: [loose], gap },
      { entries: [loose], ...proof(1, 'v0') },
    ],
    ['v0@1', 'Unknown@0 RecordMadeAnew'],
  ],
]
for (const [name, steps, persisted] of rows) {
  test(`what may be stored: ${name}`, () => {
    const last = steps.reduce<AgreementStatus | undefined>(
      (previous, facts) => decide({ ...facts, previous }),
      undefined,
    )
    assert.deepEqual(last && text(last), persisted)
  })
}

test('what may be stored: of a record that a release without this memory has written nobody knows it', () => {
  const previous = withoutMemory(decide({ entries: [v1] }))
  const next = decide({ previous, entries: [v1] })
  assert.deepEqual(text(next), ['v1@1', 'Unknown@0 NotRemembered'])
  assert.equal(next.epoch, previous.epoch)
})

// Such a server writes the record anew from what it understands. Should one keep the rest, that is seen all the same.
test('what may be stored: an older server that comes, stores and goes is not overlooked', () => {
  const known = decide({ entries: [v1] })
  for (const keep of [{}, { persisted: known.persisted ?? [] }]) {
    const during = { ...withoutMemory(decide({ previous: known, entries: [v1, v2] })), ...keep }
    assert.deepEqual(text(decide({ previous: during, entries: [v1] })), [
      'v1@3',
      'v2@2',
      'Unknown@1 NotRemembered',
    ])
    const after = { ...withoutMemory(decide({ previous: during, entries: [v1] })), ...keep }
    assert.deepEqual(text(decide({ previous: after, entries: [v1] })), ['v1@3', 'Unknown@2 NotRemembered'])
  }
})

const inTurn = (entries: readonly AgreementEntry[]): AgreementStatus =>
  entries.reduce((previous, each) => decide({ previous, entries: [each] }), decide({}))
const numbered = (count: number): readonly number[] => Array.from({ length: count }, (_, each) => each + 1)

test('what may be stored: there is an end to it, and the versions that do not fit are Unknown', () => {
  const status = inTurn(numbered(100).map((each) => entry('a', `v${each}`)))
  const kept = text(status)
  assert.deepEqual([kept.length, kept[0], kept.at(-2)], [64, 'v100@101', 'v38@39'])
  assert.equal(kept.at(-1), 'Unknown@38 TooMany')
  assert.deepEqual(persistedKeysOf(status), ['identity'])
})

// Rule 17. Otherwise: a server that lacks the first of them opens for writes, and does not see what is stored under it.
test('what may be stored: no key is forgotten, however many there are', () => {
  const each = numbered(100).map((count) => sealed('a', `k${count}`))
  assert.equal(persistedKeysOf(inTurn(each)).length, 100)
  const one = entry('a', 'v1', { writeKey: 'k1' })
  const status = inTurn([one, { ...one, encodingVersion: 'v2' }, ...each.slice(1)])
  const oldest = status.persisted?.at(-1)
  assert.deepEqual([oldest?.encodingVersion, oldest?.writeKey, oldest?.reason], ['Unknown', 'k1', 'TooMany'])
  assert.equal(persistedKeysOf(status).length, 100)
})

const never = new AbortController().signal
const things = { group: 'example.dev', resource: 'things' }
const uidOf = async (store: Store): Promise<string> => {
  const [entry] = (await store.read([agreementKey(things)], never)).entries
  return (entry && agreementKind.decode(entry).metadata.uid) ?? ''
}

test('what may be stored: pruning is one commit, nothing if it is pruned, and refused with a reason otherwise', async () => {
  const simulation = new Simulation('settle persisted')
  const store = createMemoryStore(new MemoryData())
  const records = new AgreementRecords({ store, world: simulation.process('a') })
  const register = (...entries: AgreementEntry[]) =>
    simulation.settle(records.change(things, () => ({ entries, guards: [] }), never))
  const prune = async (epoch: number, encodingVersion: string, madeAnew = false) => {
    const recordUID = madeAnew ? 'another' : await uidOf(store)
    const said = { recordUID, epoch, encodingVersion, writeKey: 'identity' }
    return simulation.settle(prunePersisted(records, things, said, never))
  }
  const revision = async () => (await store.read([agreementKey(things)], never)).entries[0]?.revision

  assert.deepEqual(await prune(1, 'v1'), { outcome: 'refused', why: 'there is no agreement record' })
  await register(v1, v2)
  assert.deepEqual(await prune(1, 'v1'), { outcome: 'refused', why: 'the servers do not agree' })
  await register(v2)
  const before = await revision()
  assert.deepEqual(await prune(1, 'v2'), { outcome: 'refused', why: 'epoch 1 is over' })
  assert.deepEqual(await prune(2, 'v1'), { outcome: 'refused', why: 'the servers agree on v2' })
  const why = 'the record was deleted and created again'
  assert.deepEqual(await prune(2, 'v2', true), { outcome: 'refused', why })
  assert.equal(await revision(), before)
  const pruned = await prune(2, 'v2')
  assert.deepEqual(pruned.outcome === 'pruned' && text(pruned.status), ['v2@2'])
  const after = await revision()
  assert.equal((await prune(2, 'v2')).outcome, 'pruned')
  assert.equal(await revision(), after)
})

// Otherwise: all is read and is v2; a server comes, stores v1 and goes, with the epoch; v1 is forgotten though it is stored.
test('what may be stored: a server that registers while they are being pruned keeps its version there', async () => {
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
  const said = { recordUID: await uidOf(memory), ...proof(2, 'v2').proof }
  const outcome = await simulation.settle(prunePersisted(records, things, said, never))
  assert.deepEqual(outcome, { outcome: 'refused', why: 'epoch 2 is over' })
  const { stored } = (await simulation.settle(others.change(things, () => undefined, never))) as {
    stored?: { record: { status: AgreementStatus } }
  }
  assert.deepEqual(stored && text(stored.record.status), ['v1@3', 'v2@3'])
})
