import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgreementEntry } from '@strata/api'
import { Simulation } from '@strata/world/sim'
import { createMemoryStore, MemoryData } from '../../store/homes.ts'
import type { Commit, Guard } from '../../store/index.ts'
import { agreementKey, agreementKind } from '../frozen-kinds.ts'
import { AgreementRecords, storedAgreement } from './agreement-records.ts'
import { nonceKey, nonceOf, recordGuards, storedNonce } from './record-nonce.ts'

const never = new AbortController().signal
const things = { group: 'example.dev', resource: 'things' }
const entry = (encodingVersion: string): AgreementEntry => ({
  serverID: 'a',
  process: 'a_1',
  encodingVersion,
  decodableVersions: [encodingVersion],
  servedVersions: [],
  guarantee: 'strict',
  writeKey: 'identity',
  readableKeys: ['identity'],
  encoderFingerprint: 'f',
})

/** A store with the record of one timeline. What chance gives differs from seed to seed; revisions do not. */
function timeline(seed: string) {
  const simulation = new Simulation(seed)
  const data = new MemoryData()
  const records = new AgreementRecords({ store: createMemoryStore(data), world: simulation.process('a') })
  const register = (encodingVersion: string) =>
    simulation.settle(
      records.change(things, () => ({ entries: [entry(encodingVersion)], guards: [] }), never),
    )
  const look = () => {
    const { entries } = data.read([agreementKey(things), nonceKey(things)])
    const stored = storedAgreement(entries[0])
    assert.ok(stored)
    return { ...stored, beside: storedNonce(entries[1]) }
  }
  const write = (guards: readonly Guard[]): Commit => ({
    writes: [{ kind: 'put', key: '/object', value: Buffer.from('v1') }],
    guards,
  })
  return { data, register, look, outcome: (guards: readonly Guard[]) => data.commit(write(guards)).outcome }
}

test('record nonce: every change of a record renews it, and nothing else does', async () => {
  const { register, look } = timeline('renewal')
  const seen = new Set<string | undefined>()
  for (const version of ['v1', 'v2', 'v1', 'v1']) {
    await register(version)
    const { record, beside } = look()
    assert.equal(nonceOf(record), beside)
    assert.ok(beside)
    seen.add(beside)
  }
  assert.equal(seen.size, 3)
})

test('record nonce: a write of one timeline is refused in another, at the same revision of the record', async () => {
  const [before, after] = [timeline('before the restore'), timeline('after the restore')]
  await before.register('v1')
  await after.register('v2')
  const { record, revision } = before.look()
  assert.equal(after.look().revision, revision)
  const guards = recordGuards(things, revision, nonceOf(record))
  assert.equal(before.outcome(guards), 'committed')
  assert.equal(after.outcome(guards), 'refused')
  // The revision alone would have let it through.
  assert.equal(after.outcome(guards.slice(0, 1)), 'committed')
})

test('record nonce: a record that earlier releases alone have written has none, until it is changed', async () => {
  const { data, register, look, outcome } = timeline('earlier releases')
  await register('v1')
  const { record } = look()
  const { annotations: _, ...metadata } = record.metadata
  const { revision } = data.commit({
    writes: [
      { kind: 'put', key: agreementKey(things), value: agreementKind.encode({ ...record, metadata }) },
      { kind: 'delete', key: nonceKey(things) },
    ],
    guards: [],
  })
  const guards = recordGuards(things, revision, nonceOf(look().record))
  assert.equal(outcome(guards), 'committed')
  await register('v2')
  assert.equal(outcome(guards), 'refused')
  assert.ok(look().beside)
})

test('record nonce: an earlier release that moves the record keeps it, and the revision tells', async () => {
  const { data, register, look, outcome } = timeline('beside an earlier release')
  await register('v1')
  const { record, revision, beside } = look()
  data.commit({
    writes: [{ kind: 'put', key: agreementKey(things), value: agreementKind.encode(record) }],
    guards: [],
  })
  assert.equal(outcome(recordGuards(things, revision, beside)), 'refused')
  assert.equal(outcome(recordGuards(things, look().revision, nonceOf(look().record))), 'committed')
})
