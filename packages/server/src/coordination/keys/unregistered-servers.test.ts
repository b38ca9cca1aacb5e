import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AgreementEntry, unseenServersAnnotation } from '@strata/api'
import type { HeldLease, StoredAgreement } from '../record/agreement-records.ts'
import { unregisteredServers } from './unregistered-servers.ts'

const keyRules = [{ resources: ['*.example.dev'], writes: 'one', reads: ['one', 'identity'] }]
const lease = (more: Partial<HeldLease> = {}): HeldLease => ({
  ...{ revision: 7, holder: 'x', isIdentity: true, records: true, keyRules, ...more },
})
const builtIn = { group: 'example.dev', resource: 'things' }
const self = { serverID: 'a', process: 'a_3' }
const custom = { ...builtIn, isCustom: true }
const entry = { serverID: 'b' } as AgreementEntry
const silentLease = lease()
delete (silentLease as { keyRules?: unknown }).keyRules

type Definition = Parameters<typeof unregisteredServers>[2]
const cases: ReadonlyArray<
  [
    name: string,
    b: HeldLease,
    of: Definition,
    entries: AgreementEntry[],
    want: readonly (string | undefined)[],
  ]
> = [
  ['who has a Lease and no entry says there what it reads', lease(), builtIn, [], ['one,identity']],
  ['who has an entry says it there', lease(), builtIn, [entry], []],
  ['no server', lease({ isIdentity: false }), builtIn, [], []],
  ['one that has all its program has, and not this', lease({ isRegistered: true }), builtIn, [], []],
  ['… which does not go for custom resources', lease({ isRegistered: true }), custom, [], ['one,identity']],
  ['one that records nothing', lease({ records: false }), builtIn, [], ['one,identity']],
  ['what no rule of it names is stored as it is', lease(), { group: '', resource: 'pods' }, [], ['identity']],
  ['one that says nothing', silentLease, builtIn, [], [undefined]],
  ['kinds that agreement is made of are read by all', lease(), { ...builtIn, bootstrap: true }, [], []],
]
for (const [name, b, of, entries, want] of cases) {
  test(`unregistered: ${name}`, () => {
    const leases = new Map([
      ['a', lease({ holder: 'a_3' })],
      ['b', b],
    ])
    const found = unregisteredServers({ leases, entries, stored: undefined }, self, of)
    assert.deepEqual(
      found.map(({ reads }) => reads?.join()),
      want,
    )
    for (const { guard } of found) assert.equal(guard?.revision, 7)
  })
}

test('unregistered: who has neither Lease nor entry stands in the record, and says nothing', () => {
  const stored = {
    record: { metadata: {}, status: { unseenProcesses: ['d_1'] } },
  } as unknown as StoredAgreement
  assert.deepEqual(unregisteredServers({ leases: new Map(), entries: [], stored }, self, custom), [
    { serverID: 'd_1', reads: undefined },
  ])
})

test('unregistered: whoever asks is not, in this run or in the one before', () => {
  const unseenProcesses = ['a_1', 'a_2', 'd_1']
  const stored = { record: { metadata: {}, status: { unseenProcesses } } } as unknown as StoredAgreement
  const found = unregisteredServers({ leases: new Map(), entries: [], stored }, self, custom)
  assert.deepEqual(
    found.map(({ serverID }) => serverID),
    ['d_1'],
  )
})

test('unregistered: a server without an identity that states its keys is heard, as if by an entry', () => {
  const statement = { process: 'd_1', since: 't', writeKey: 'one', readableKeys: ['one'] }
  const record = {
    metadata: { annotations: { [unseenServersAnnotation]: JSON.stringify([statement]) } },
    status: { unseenProcesses: ['d_1', 'e_1'] },
  }
  const stored = { record } as unknown as StoredAgreement
  assert.deepEqual(unregisteredServers({ leases: new Map(), entries: [], stored }, self, custom), [
    { serverID: 'e_1', reads: undefined },
  ])
})

const twins: ReadonlyArray<[name: string, lease: HeldLease, want: readonly string[]]> = [
  ['its own', lease({ holder: 'a_3' }), []],
  ['that of a second process under its server ID', lease({ holder: 'a_1' }), ['a_1']],
  ['that of an earlier run, which has ended on this host', lease({ holder: 'a_1', isGone: () => true }), []],
]
for (const [name, held, want] of twins) {
  test(`unregistered: the Lease under the server ID of the one that asks is ${name}`, () => {
    const found = unregisteredServers(
      { leases: new Map([['a', held]]), entries: [], stored: undefined },
      self,
      custom,
    )
    assert.deepEqual(
      found.map(({ serverID }) => serverID),
      want,
    )
  })
}
