import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AgreementEntry,
  type AgreementStatus,
  identityLabel,
  identityLabelValue,
  identityNamespace,
  type Lease,
} from '@strata/api'
import { decideBrokenGap, decideBrokenUnseen, type FenceView } from '../fence/decide-broken-guard.ts'
import { type AgreementFacts, decideAgreement } from './decide-agreement.ts'
import { closeGap } from './decide-recording-gap.ts'

const entry: AgreementEntry = {
  serverID: 'a',
  process: 'a_1',
  encodingVersion: 'v1',
  decodableVersions: ['v1'],
  servedVersions: ['v1'],
  guarantee: 'strict',
  writeKey: 'identity',
  readableKeys: ['identity'],
  encoderFingerprint: 'f',
}
const decide = (previous: AgreementStatus | undefined, facts: Partial<AgreementFacts>): AgreementStatus =>
  decideAgreement({ previous, entries: [entry], liveServers: new Set(['a']), now: 'now', ...facts })
const off = { liveServers: new Set(['a', 'off']), unrecorded: new Set(['off']) }
const reported = ({ conditions }: AgreementStatus) =>
  conditions.find(({ type }) => type === 'AllServersReported')

test('gap: an ordinary beginning has none', () => {
  const { epoch, recordingGap, agreedVersion } = decide(undefined, {})
  assert.deepEqual([epoch, recordingGap, agreedVersion], [1, undefined, 'v1'])
})

test('gap: a server that does not record raises the epoch, and nothing is agreed while it lives', () => {
  const came = decide(decide(undefined, {}), off)
  assert.equal(came.epoch, 2)
  assert.equal(came.agreedVersion, undefined)
  assert.deepEqual(came.recordingGap, {
    epoch: 2,
    at: 'now',
    reason: 'ServersDoNotRecord',
    message: 'off writes without recording it',
  })
  const { status, reason, message } = reported(came) ?? {}
  assert.deepEqual(
    [status, reason, message],
    ['False', 'ServersDoNotRecord', 'no entry from off; off writes without recording it'],
  )
  assert.deepEqual(decide(came, { ...off, now: 'later' }), came, 'and once is enough')
})

// Otherwise: a dashboard says that every write is guarded, while one server writes what no record tells of.
test('gap: while a server does not record, nobody claims that all writes are guarded, or that all servers write the same', () => {
  const before = decide(undefined, {})
  const came = decide(before, off)
  const claims = (status: AgreementStatus): string[] =>
    status.conditions
      .filter(({ type }) => type === 'Fenced' || type === 'AllEncodingVersionsEqual')
      .map(({ type, status: holds, reason, message }) => `${type} ${holds} ${reason}: ${message}`)
  const equal = 'AllEncodingVersionsEqual True CommonEncodingVersionSet: all servers that record encode v1'
  const guarded = 'Fenced True AllWritesGuarded: every write is guarded by this record'
  assert.deepEqual(claims(before), [equal, guarded])
  assert.deepEqual(claims(came), [equal, 'Fenced False ServersDoNotRecord: not guarded: off'])
  assert.deepEqual(claims(decide(came, {})), [equal, guarded])
  const loose = decide(before, { ...off, entries: [{ ...entry, guarantee: 'loose' }] })
  assert.equal(claims(loose)[1], 'Fenced False LooseServers: not guarded: a, off')
})

test('gap: when it goes the epoch is raised again, so that nothing from its time is believed', () => {
  const came = decide(decide(undefined, {}), off)
  const gone = decide(came, { now: 'later' })
  assert.deepEqual([gone.epoch, gone.agreedVersion], [3, 'v1'])
  assert.deepEqual(gone.recordingGap, {
    epoch: 3,
    at: 'later',
    reason: 'ServersDidNotRecord',
    message: 'off wrote without recording it for a while',
  })
  assert.deepEqual(decide(gone, { now: 'latest' }), gone, 'it is remembered, and nothing is sent')
})

test('gap: when it goes, a gap of another kind that stood before it is still named', () => {
  const came = decide(decide(undefined, {}), off)
  const recordingGap = { epoch: 2, at: 'now', reason: 'RecordMadeAnew', message: 'it was made anew' } as const
  assert.equal(
    decide({ ...came, recordingGap }, { now: 'later' }).recordingGap?.message,
    'a server wrote without recording it for a while; before that, it was made anew',
  )
})

test('gap: one that was alone is not forgotten when it goes, nor when others come', () => {
  const before = decide(undefined, {})
  const alone = decide(before, { entries: [], liveServers: new Set(['off']), unrecorded: off.unrecorded })
  assert.equal(alone.epoch, 2)
  const nobody = decide(alone, { entries: [], liveServers: new Set() })
  assert.deepEqual([nobody.epoch, nobody.recordingGap?.epoch], [2, 2])
  const back = decide(nobody, { now: 'later' })
  assert.deepEqual([back.epoch, back.recordingGap?.epoch], [3, 3])
})

test('gap: the first one that ever writes may be one that does not record', () => {
  const first = decide(undefined, { entries: [], liveServers: new Set(['off']), unrecorded: off.unrecorded })
  assert.deepEqual([first.epoch, first.recordingGap?.epoch], [1, 1])
  assert.deepEqual([decide(first, {}).epoch, decide(first, {}).recordingGap?.epoch], [2, 2])
})

const why = { reason: 'RecordMadeAnew', message: 'made anew' } as const

test('gap: one that is told of raises the epoch each time, though nothing else changes', () => {
  const once = decide(decide(undefined, {}), { gap: why })
  assert.deepEqual([once.epoch, once.recordingGap], [2, { epoch: 2, at: 'now', ...why }])
  assert.equal(once.agreedVersion, 'v1', 'what is written now is agreed on all the same')
  assert.equal(decide(once, { gap: why }).epoch, 3)
})

test('gap: a record that is made anew begins with it', () => {
  const anew = decide(undefined, { gap: why })
  assert.deepEqual([anew.epoch, anew.recordingGap?.epoch], [1, 1])
})

test('gap: a server that nobody sees stands in the record until it says that it goes, whoever else comes or goes', () => {
  const came = decide(decide(undefined, {}), { unseen: ['u_1'] })
  assert.deepEqual([came.epoch, came.recordingGap?.epoch, came.agreedVersion], [2, 2, undefined])
  assert.equal(came.recordingGap?.reason, 'ServersDoNotRecord')
  assert.deepEqual([reported(came)?.status, reported(came)?.reason], ['False', 'ServersDoNotRecord'])
  const fenced = came.conditions.find(({ type }) => type === 'Fenced')
  assert.deepEqual([fenced?.status, fenced?.reason], ['False', 'ServersUnseen'])
  assert.deepEqual(decide(came, { now: 'later' }), came, 'whoever evaluates it')
  const other = decide(came, { entries: [{ ...entry, encodingVersion: 'v2' }] })
  assert.deepEqual([other.epoch, other.agreedVersion], [3, undefined], 'in another epoch too')
  const nobody = decide(came, { entries: [], liveServers: new Set() })
  assert.equal(decide(nobody, {}).agreedVersion, undefined, 'after a full stop of the others')
  const two = decide(came, { unseen: ['u_1', 't_1'] })
  assert.deepEqual([two.epoch, two.unseenProcesses], [2, ['t_1', 'u_1']])
  assert.equal(decide(two, { unseen: ['t_1'] }).agreedVersion, undefined)
  const gone = decide(two, { unseen: [] })
  assert.deepEqual([gone.epoch, gone.recordingGap?.epoch, gone.agreedVersion], [3, 3, 'v1'])
  assert.deepEqual([gone.recordingGap?.reason, gone.unseenProcesses], ['ServersDidNotRecord', undefined])
})

const lease: Lease = {
  metadata: { namespace: identityNamespace, labels: { [identityLabel]: identityLabelValue } },
  spec: { holderIdentity: 'off_1' },
}
const heldByOther: Lease = { ...lease, spec: { holderIdentity: 'off_2' } }
const broken: ReadonlyArray<[name: string, view: Partial<FenceView>, want: string, refusal?: string]> = [
  ['the record still says it', {}, 'retry'],
  ['the record still says it, and it refuses writes because of a key', {}, 'refuse', 'no key'],
  ['the record does not say it any more', { encodings: ['v1'] }, 'register-again'],
  ['the record is gone', { encodings: undefined }, 'register-again'],
  ['the Lease is gone: this server was expelled', { lease: undefined }, 'register-again'],
  ['another process holds the Lease', { lease: heldByOther }, 'stop'],
  [
    'a Lease that no server wrote is in its place',
    { lease: { ...heldByOther, metadata: { namespace: identityNamespace } } },
    'register-again',
  ],
]
for (const [name, view, want, refusal] of broken) {
  test(`gap, a guard broke: ${name}`, () => {
    const seen = { entry: undefined, lease, encodings: ['v1', 'unrecorded'], ...view }
    assert.equal(decideBrokenGap({ process: 'off_1', encodingVersion: 'v1', refusal }, seen).do, want)
  })
}

const states = { process: 'u_1', since: 't', writeKey: 'k', readableKeys: ['k'] }
const unseenBroken: ReadonlyArray<[name: string, statement: FenceView['statement'], want: string]> = [
  ['the record still names it', states, 'retry'],
  ['it has stated that it writes nothing', { ...states, keyProblem: 'no key' }, 'refuse'],
  ['the record does not name it', undefined, 'register-again'],
]
for (const [name, statement, want] of unseenBroken) {
  test(`gap, a guard of a server without an identity broke: ${name}`, () => {
    assert.equal(decideBrokenUnseen({ process: 'u_1', encodingVersion: 'v1' }, { statement }).do, want)
  })
}

const persisted = (...versions: readonly string[]) =>
  versions.map((encodingVersion) => ({ encodingVersion, writeKey: 'identity', epoch: 1 }))
const open = { epoch: 3, at: 'now', ...why }
const old = { epoch: 2, at: 'before', ...why }
const closing: ReadonlyArray<[name: string, facts: Parameters<typeof closeGap>[0], want: unknown]> = [
  ['no gap', { previous: undefined, persisted: persisted('v1'), recordingGap: undefined }, {}],
  [
    'something unrecorded may be stored',
    { previous: undefined, persisted: persisted('v1', 'Unknown'), recordingGap: open },
    { recordingGap: open },
  ],
  [
    'nothing is, by proof',
    { previous: undefined, persisted: persisted('v1'), recordingGap: open },
    { closedRecordingGap: open },
  ],
  [
    'closed, it stays closed',
    { previous: { closedRecordingGap: open }, persisted: persisted('v1'), recordingGap: undefined },
    { closedRecordingGap: open },
  ],
  [
    'a new one beside an old one that is closed',
    { previous: { closedRecordingGap: old }, persisted: persisted('Unknown'), recordingGap: open },
    { recordingGap: open, closedRecordingGap: old },
  ],
]
for (const [name, facts, want] of closing) {
  test(`gap, closed by proof: ${name}`, () => assert.deepEqual(closeGap(facts), want))
}
