import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgreementEntry, StorageAgreement } from '@strata/api'
import { Simulation } from '@strata/world/sim'
import { createMemoryStore, MemoryData, type Store } from '../store/homes.ts'
import {
  agreementKey,
  agreementKind,
  identityLeaseKey,
  identityLeasePrefix,
  leaseKind,
} from './frozen-kinds.ts'
import { AgreementRecords } from './record/agreement-records.ts'
import { prunePersisted } from './record/prune-persisted.ts'
import { wantedChange } from './registration/wanted-change.ts'

const never = new AbortController().signal
const things = { group: 'example.dev', resource: 'things' }

const voter = (serverID: string, ...versions: readonly [string, ...string[]]): AgreementEntry => ({
  serverID,
  process: `${serverID}_1`,
  encodingVersion: versions[0],
  decodableVersions: versions,
  servedVersions: [],
  guarantee: 'strict',
  writeKey: 'identity',
  readableKeys: ['identity'],
  encoderFingerprint: `f${versions[0]}`,
  preferredVersion: versions[0],
  encoders: versions.map((each) => ({ encodingVersion: each, fingerprint: `f${each}` })),
})

/** `between` happens once, right after the Leases were listed by b. */
function setUp() {
  const simulation = new Simulation('outvoted')
  const data = new MemoryData()
  const memory = createMemoryStore(data)
  let between: (() => Promise<void>) | undefined
  const store: Store = {
    ...memory,
    read: (...asked) => memory.read(...asked),
    commit: (...asked) => memory.commit(...asked),
    list: async (range, signal) => {
      const page = await memory.list(range, signal)
      const act = range.prefix === identityLeasePrefix ? between : undefined
      if (act) between = undefined
      await act?.()
      return page
    },
  }
  const plain = new AgreementRecords({ store: memory, world: simulation.process('d') })
  return {
    simulation,
    records: new AgreementRecords({ store, world: simulation.process('b') }),
    record: (): StorageAgreement => {
      const [entry] = data.read([agreementKey(things)]).entries
      assert.ok(entry)
      return agreementKind.decode(entry)
    },
    join: async (entry: AgreementEntry): Promise<void> => {
      const { serverID, process } = entry
      const value = leaseKind.encode({
        metadata: {
          ...{ name: serverID, namespace: 'kube-system' },
          labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver' },
        },
        spec: { holderIdentity: process },
      })
      data.commit({ writes: [{ kind: 'put', key: identityLeaseKey(serverID), value }], guards: [] })
      await plain.change(things, (view) => wantedChange(view, entry, undefined), never)
    },
    expel: (serverID: string): void => {
      data.commit({ writes: [{ kind: 'delete', key: identityLeaseKey(serverID) }], guards: [] })
    },
    meanwhile: (act: () => Promise<void>): void => {
      between = act
    },
  }
}

// Rule 12. a is gone and its Lease collected, its entry not yet. b puts down what a census has found, and lists the
// Leases: b alone. d, of a's release, takes its Lease and registers, for v1. Were the record read only now, its entries
// would be judged by the Leases of before: d's would count as that of somebody gone, b would be unanimous for v2, and d
// could not write until somebody comes.
test('a voter that joins while a record is being changed is not outvoted by Leases that were listed before it came', async () => {
  const { simulation, records, record, join, expel, meanwhile } = setUp()
  await join(voter('a', 'v1'))
  await join(voter('b', 'v2', 'v1'))
  assert.equal(record().status.selectedVersion, 'v1')
  expel('a')
  meanwhile(() => join(voter('d', 'v1')))
  const { metadata, status } = record()
  const proof = { recordUID: metadata.uid ?? '', encodingVersion: 'v1', writeKey: 'identity' }
  await simulation.settle(prunePersisted(records, things, { ...proof, epoch: status.epoch }, never))
  const { selectedVersion, servers } = record().status
  assert.equal(selectedVersion, 'v1')
  assert.deepEqual(
    servers.map(({ serverID, encodingVersion, refusesWrites = false }) => [
      serverID,
      encodingVersion,
      refusesWrites,
    ]),
    [
      ['b', 'v1', false],
      ['d', 'v1', false],
    ],
  )
})
