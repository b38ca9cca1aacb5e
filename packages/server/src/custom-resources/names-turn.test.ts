import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryStore, MemoryData } from '../store/homes.ts'
import { inTurn, takeTurn } from './names-turn.ts'

const never = new AbortController().signal
const write = (key: string) => ({
  writes: [{ kind: 'put' as const, key, value: Buffer.from('x') }],
  guards: [{ key, revision: 'absent' as const }],
})

test('names: of two decisions of one group that began together, one is written', async () => {
  const store = createMemoryStore(new MemoryData())
  const [one, other] = [
    await takeTurn(store, 'example.org', never),
    await takeTurn(store, 'example.org', never),
  ]
  const done = await inTurn(store, one, 'gadgets.example.org').commit(write('/a'), never)
  assert.equal(done.outcome, 'committed')
  await assert.rejects(inTurn(store, other, 'gizmos.example.org').commit(write('/b'), never), { code: 409 })
  assert.equal((await store.read(['/b'], never)).entries[0], undefined)
  const next = await takeTurn(store, 'example.org', never)
  assert.equal(
    (await inTurn(store, next, 'gizmos.example.org').commit(write('/b'), never)).outcome,
    'committed',
  )
})

test('names: another group has another turn', async () => {
  const store = createMemoryStore(new MemoryData())
  const [one, other] = [
    await takeTurn(store, 'example.org', never),
    await takeTurn(store, 'example.com', never),
  ]
  await inTurn(store, one, 'gadgets.example.org').commit(write('/a'), never)
  const done = await inTurn(store, other, 'gadgets.example.com').commit(write('/b'), never)
  assert.equal(done.outcome, 'committed')
})

test('names: another refusal is passed on as it is', async () => {
  const store = createMemoryStore(new MemoryData())
  const turn = await takeTurn(store, 'example.org', never)
  await store.commit(write('/a'), never)
  const refused = await inTurn(store, turn, 'gadgets.example.org').commit(write('/a'), never)
  assert.deepEqual(refused.outcome === 'refused' && refused.broken.map(({ guard }) => guard.key), ['/a'])
})
