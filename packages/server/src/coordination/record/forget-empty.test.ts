import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AgreementEntry, persistedKeysOf } from '@strata/api'
import { silentLog } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { createMemoryStore, MemoryData } from '../../store/homes.ts'
import type { Commit, CommitOutcome, Store } from '../../store/index.ts'
import { agreementKey } from '../frozen-kinds.ts'
import { AgreementRecords, storedAgreement } from './agreement-records.ts'
import { provesEmpty } from './decide-forgetting.ts'
import { forgetEmpty } from './forget-empty.ts'

const never = new AbortController().signal
const things = { group: 'example.dev', resource: 'things', storagePrefix: 'example.dev/things' }
const prefix = '/registry/example.dev/things/'
const a: AgreementEntry = {
  ...{ serverID: 'a', process: 'a_1', encodingVersion: 'v1', encoderFingerprint: 'f' },
  ...{ decodableVersions: ['v1'], servedVersions: ['v1'], guarantee: 'strict' },
  ...{ writeKey: 'k1', readableKeys: ['k1'] },
}

/** A record that names k1 and has no entry, and somebody who would have it forget; `meanwhile` runs before one of its steps. */
async function create(seed: string, wrap: (store: Store) => Store = (store) => store) {
  const simulation = new Simulation(seed)
  const store = createMemoryStore(new MemoryData())
  const world = simulation.process('a')
  const others = new AgreementRecords({ store, world })
  const change = (...entries: AgreementEntry[]) =>
    others.change(things, () => ({ entries, guards: [] }), never)
  await simulation.settle(change(a))
  await simulation.settle(change())
  const steps: string[] = []
  const meanwhile = new Map<string, () => Promise<unknown>>()
  const step = async (name: string): Promise<void> => {
    steps.push(name)
    const act = meanwhile.get(`${name} ${steps.filter((each) => each === name).length}`)
    await act?.()
  }
  const stepped: Store = wrap({
    ...store,
    read: (...asked) => store.read(...asked),
    list: async (range, signal) => {
      if (range.prefix === prefix) await step('look')
      return store.list(range, signal)
    },
    commit: async (commit, signal) => {
      await step('commit')
      return store.commit(commit, signal)
    },
  })
  const parts = {
    ...{ store: stepped, log: silentLog, provesEmpty },
    records: new AgreementRecords({ store: stepped, world }),
  }
  const record = async () => {
    const stored = storedAgreement((await store.read([agreementKey(things)], never)).entries[0])
    assert.ok(stored)
    return stored
  }
  const put = (name: string, guards: Commit['guards'] = []): Promise<CommitOutcome> =>
    store.commit(
      { writes: [{ kind: 'put', key: `${prefix}${name}`, value: Buffer.from('{}') }], guards },
      never,
    )
  return {
    ...{ steps, meanwhile, record, put, change },
    forget: () => simulation.settle(forgetEmpty(parts, things, never)),
    keys: async () => persistedKeysOf((await record()).record.status),
  }
}

test('forget empty: looks, moves the record, looks again, and forgets; a second time nothing is sent', async () => {
  const { forget, steps, keys, record } = await create('order')
  assert.equal((await forget()).outcome, 'forgotten')
  assert.deepEqual(steps, ['look', 'commit', 'look', 'commit'])
  assert.deepEqual(await keys(), [])
  const { revision } = await record()
  assert.equal((await forget()).outcome, 'forgotten')
  assert.equal((await record()).revision, revision)
})

test('forget empty: what is stored is named, and the record is not moved', async () => {
  const { forget, put, record, keys } = await create('stored')
  await put('default/x')
  const { revision } = await record()
  assert.deepEqual(await forget(), { outcome: 'refused', why: 'default/x is stored' })
  assert.equal((await record()).revision, revision)
  assert.deepEqual(await keys(), ['k1'])
})

test('forget empty: a commit that was guarded by the record before it moved is refused from then on', async () => {
  const { forget, meanwhile, put, record } = await create('late')
  const guards = [{ key: agreementKey(things), revision: (await record()).revision }]
  const late: string[] = []
  meanwhile.set('look 2', async () => late.push((await put('default/x', guards)).outcome))
  assert.equal((await forget()).outcome, 'forgotten')
  assert.deepEqual(late, ['refused'])
})

test('forget empty: a commit that arrives just before the record moves is found', async () => {
  const { forget, meanwhile, put, keys } = await create('just before')
  meanwhile.set('commit 1', () => put('default/x'))
  assert.deepEqual(await forget(), { outcome: 'refused', why: 'default/x is stored' })
  assert.deepEqual(await keys(), ['k1'])
})

for (const moment of ['commit 1', 'look 2', 'commit 2']) {
  test(`forget empty: a server that comes, stores and leaves before "${moment}" keeps its key named`, async () => {
    const { forget, meanwhile, put, change, record, keys } = await create(moment)
    meanwhile.set(moment, async () => {
      await change(a)
      const guards = [{ key: agreementKey(things), revision: (await record()).revision }]
      assert.equal((await put('default/x', guards)).outcome, 'committed')
      await change()
    })
    assert.notEqual((await forget()).outcome, 'forgotten')
    assert.deepEqual(await keys(), ['k1'])
  })
}

test('forget empty: without the guard, what is stored meanwhile is forgotten: the guard is what prevents it', async () => {
  const unguarded = (store: Store): Store => ({
    ...store,
    commit: ({ writes }, signal) => store.commit({ writes, guards: [] }, signal),
  })
  const { forget, meanwhile, put, change, keys } = await create('unguarded', unguarded)
  meanwhile.set('commit 2', async () => {
    await change(a)
    await put('default/x')
    await change()
  })
  await forget()
  assert.deepEqual(await keys(), [], 'default/x is stored under k1')
})
