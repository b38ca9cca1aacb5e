import { createEtcdStore } from '@strata/server/store/etcd'
import { silentLog } from '@strata/world'
import { createNodeWorld } from '@strata/world/node'
import { configMap, run } from '../config-maps.ts'
import { type Contestant, inParallel } from '../contestant.ts'
import { connections, pageSize, watchers } from '../workloads.ts'

const never = new AbortController().signal

/** etcd itself, asked from this process by the client that the server uses, without any condition on a write. */
export async function etcdContestant(endpoints: readonly string[], objects: number): Promise<Contestant> {
  const { clock, random } = createNodeWorld({ log: silentLog })
  const store = await createEtcdStore({ endpoints, clock, random, log: silentLog })
  const root = `/bench/${run}`
  const keyOf = (index: number): string => `${root}/read/item-${String(index).padStart(6, '0')}`
  const put = (key: string) =>
    store.commit({ writes: [{ kind: 'put', key, value: configMap('raw') }], guards: [] }, never)
  await inParallel({ count: objects, atOnce: connections }, (index) => put(keyOf(index)))

  const stop = new AbortController()
  const received = { count: 0, wanted: 0, wake: new Set<() => void>() }
  const watch = async (after: number): Promise<void> => {
    for await (const { changes } of store.watch(`${root}/watched/`, after, stop.signal)) {
      received.count += changes.length
      if (received.count < received.wanted) continue
      for (const wake of received.wake) wake()
      received.wake.clear()
    }
  }
  const openWatches = async (): Promise<void> => {
    const revision = await store.currentRevision(never)
    for (let watcher = 0; watcher < watchers; watcher++) void watch(revision)
  }
  let watching: Promise<void> | undefined
  let created = 0
  return {
    name: 'raw etcd',
    work: {
      create: () => put(`${root}/created/${created++}`),
      get: (index) => store.read([keyOf((index * 7919) % objects)], never),
      update: (index) => put(`${root}/updated/${index % (4 * connections)}`),
      list: () => store.list({ prefix: `${root}/read/`, limit: pageSize }, never),
      'list-all': () => store.list({ prefix: `${root}/read/` }, never),
      watch: async (index) => {
        watching ??= openWatches()
        await watching
        await put(`${root}/watched/${index}`)
        received.wanted += watchers
        if (received.count < received.wanted) await new Promise<void>((resolve) => received.wake.add(resolve))
      },
    },
    close: async () => {
      stop.abort(new Error('measured'))
      await store.close()
    },
  }
}
