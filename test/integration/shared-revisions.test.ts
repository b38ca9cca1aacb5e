import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryStore, type Store, type Write } from '@strata/server/store'
import { configMap, maps, startServer } from '../support/one-server.ts'
import { openWatch, type SeenEvent } from '../support/open-watch.ts'

const never = new AbortController().signal
const prefix = '/registry/configmaps/default/'
const names = ['a', 'b', 'c']

/** Writes them all again in one transaction, as those do who re-encode what is stored. */
async function rewrite(store: Store, round: number): Promise<number> {
  const { entries } = await store.read(
    names.map((name) => prefix + name),
    never,
  )
  const writes = entries.map((entry): Write => {
    assert.ok(entry)
    const object = JSON.parse(Buffer.from(entry.value).toString())
    const value = Buffer.from(JSON.stringify({ ...object, data: { round: String(round) } }))
    return { kind: 'put', key: entry.key, value }
  })
  const outcome = await store.commit({ writes, guards: [] }, never)
  assert.equal(outcome.outcome, 'committed')
  return outcome.revision
}

async function begin(seed: string) {
  const started = await startServer(seed)
  const { simulation, server, data, send } = started
  for (const name of names) await send('POST', maps, configMap(name))
  return {
    ...started,
    store: createMemoryStore(data),
    sleep: (ms: number): Promise<void> =>
      simulation.settle(new Promise((resolve) => simulation.clock.after(ms, resolve))),
    watch: (query: string, path = maps) =>
      simulation.settle(openWatch(server, `${path}?watch=true&${query}`)),
  }
}

const shown = (events: readonly SeenEvent[]): string[] =>
  events.map(({ type, object }) =>
    type === 'BOOKMARK' ? type : `${type} ${object.metadata.name} ${object.data?.round ?? '-'}`,
  )

test('shared revisions: the events of one come one after the other, and no bookmark between them', async () => {
  const { store, watch, sleep, data } = await begin('together')
  const open = await watch(`resourceVersion=${data.revision}&allowWatchBookmarks=true`)
  for (let round = 0; round < 40; round++) {
    await rewrite(store, round)
    await sleep(5_000)
  }
  const seen = shown(open.events)
  assert.ok(seen.includes('BOOKMARK'))
  for (let round = 0; round < 40; round++) {
    const first = seen.indexOf(`MODIFIED a ${round}`)
    assert.deepEqual(
      seen.slice(first, first + 3),
      names.map((name) => `MODIFIED ${name} ${round}`),
    )
  }
})

test('shared revisions: a watch that resumes at one gets it again, whole', async () => {
  const { store, watch, sleep } = await begin('resume')
  await rewrite(store, 1)
  const shared = await rewrite(store, 2)
  await sleep(10)
  const whole = ['MODIFIED a 2', 'MODIFIED b 2', 'MODIFIED c 2']
  const resumed = await watch(`resourceVersion=${shared}`)
  await sleep(10)
  assert.deepEqual(shown(resumed.events), whole)
  await rewrite(store, 3)
  await sleep(10)
  assert.deepEqual(
    shown(resumed.events).slice(3),
    names.map((name) => `MODIFIED ${name} 3`),
  )
  // One object has one event, and a client that watches it has seen it.
  const single = await watch(`resourceVersion=${shared}&fieldSelector=metadata.name%3Db`)
  await sleep(10)
  assert.deepEqual(shown(single.events), ['MODIFIED b 3'])
})

test('shared revisions: also where the revision comes to this server later than to its client', async () => {
  const { store, watch, sleep, data, send } = await begin('ahead')
  const ahead = await watch(`resourceVersion=${data.revision + 1}`)
  await rewrite(store, 1)
  await rewrite(store, 2)
  await sleep(10)
  const want = [1, 2].flatMap((round) => names.map((name) => `MODIFIED ${name} ${round}`))
  assert.deepEqual(shown(ahead.events), want)
  // The client has seen a revision that is not shared.
  const seen = await watch(`resourceVersion=${data.revision + 1}`)
  await send('DELETE', `${maps}/a`)
  await send('DELETE', `${maps}/b`)
  await sleep(10)
  assert.deepEqual(shown(seen.events), ['DELETED b 2'])
})
