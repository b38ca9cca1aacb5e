import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StrataServer } from '@strata/server'
import { createMemoryStore, MemoryData } from '@strata/server/store'
import { integer } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { call, createFleetServer } from '../support/fleet.ts'
import { configMap, maps } from '../support/one-server.ts'
import { Reflector, type ReflectorOptions } from '../support/reflector.ts'

const never = new AbortController().signal
const everywhere = '/api/v1/configmaps'
const elsewhere = maps.replace('default', 'kube-system')

const clients: Readonly<Record<string, ReflectorOptions>> = {
  'list and watch': { path: everywhere },
  'small pages': { path: everywhere, limit: 3 },
  'one namespace': { path: maps },
  'a label': { path: everywhere, selector: 'labelSelector=odd%3Dy', limit: 4 },
  'one name': { path: maps, selector: 'fieldSelector=metadata.name%3Dm7' },
  'watch list': { path: everywhere, watchList: true },
  'watch list of a label': { path: maps, selector: 'labelSelector=odd%21%3Dy', watchList: true },
}

test('watches in sync: clients have what the store has, through cuts, changes of server and compaction', async () => {
  const simulation = new Simulation('in sync')
  const { random } = simulation.process('chance')
  const data = new MemoryData()
  let born = 0
  const start = async (): Promise<StrataServer> => {
    const instance = `server-${born++}`
    const world = simulation.process(instance)
    const server = createFleetServer({ world, store: createMemoryStore(data), instance, release: 'x+1' })
    await server.start(never)
    return server
  }
  const first = await simulation.settle(start())
  const servers = [first, await simulation.settle(start())]
  const any = () => servers[integer(random, servers.length)] ?? first
  const reflectors = Object.values(clients).map((options) => new Reflector(any(), options))
  const store = createMemoryStore(data)

  const write = async (): Promise<void> => {
    const path = integer(random, 3) === 0 ? elsewhere : maps
    const name = `m${integer(random, 12)}`
    const labels = integer(random, 2) === 0 ? { odd: 'y' } : {}
    const body = { ...configMap(name, { n: String(integer(random, 1_000_000)) }), metadata: { name, labels } }
    const deletes = integer(random, 3) === 0
    const handle = any().handle
    if (deletes) await call(handle, 'DELETE', `${path}/${name}`)
    else if ((await call(handle, 'PUT', `${path}/${name}`, body)).status === 404) {
      await call(handle, 'POST', path, body)
    }
  }

  const truth = async ({ path, selector }: ReflectorOptions): Promise<Map<string, unknown>> => {
    const { body } = await call(any().handle, 'GET', `${path}${selector ? `?${selector}` : ''}`)
    return new Map(
      body.items.map((item: { metadata: { namespace: string; name: string } }) => [
        `${item.metadata.namespace}/${item.metadata.name}`,
        item,
      ]),
    )
  }

  const catchUp = async (reflector: Reflector): Promise<void> => {
    for (let round = 0; round < 50; round++) {
      await reflector.step()
      await new Promise<void>((resolve) => simulation.clock.after(5, resolve))
      if (reflector.isCaughtUp) return
    }
    assert.fail('a client does not catch up')
  }

  const same = async (): Promise<void> => {
    for (const [index, [name, options]] of Object.entries(clients).entries()) {
      const reflector = reflectors[index]
      assert.ok(reflector)
      await catchUp(reflector)
      const strip = ({ kind: _, apiVersion: __, ...rest }: Record<string, unknown>): unknown => rest
      const sorted = (from: Iterable<[string, unknown]>): unknown =>
        [...from].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, strip(item as never)])
      assert.deepEqual(sorted(reflector.copy), sorted(await truth(options)), name)
    }
  }

  const writes = Number(process.env['SYNC_WRITES'] ?? 1_200)
  /** One that has just started remembers what the store does; who is older has to list again. */
  const replaceServer = async (): Promise<void> => {
    const [old] = servers.splice(1, 1, await start())
    for (const reflector of reflectors) reflector.cut(any())
    await old?.stop(1_000)
  }
  const run = async (): Promise<void> => {
    for (let count = 0; count < writes; count++) {
      const steps: Promise<void>[] = [write()]
      for (const reflector of reflectors) {
        const chance = integer(random, 40)
        if (chance === 0) reflector.cut(any())
        else if (chance < 12) steps.push(reflector.step())
      }
      // Between the pages of a list, and while watches begin, others write and history is cut off.
      steps.push(write(), write())
      if (integer(random, 50) === 0) steps.push(store.compact(data.revision, never))
      await Promise.all(steps)
      if (integer(random, 300) === 0) await replaceServer()
      if (integer(random, 100) === 0) {
        await new Promise<void>((resolve) => simulation.clock.after(integer(random, 90_000), resolve))
      }
      if (integer(random, 200) === 0) await same()
    }
    await same()
  }
  await simulation.settle(run())
  const total = (key: keyof Reflector['counts']): number =>
    reflectors.reduce((sum, { counts }) => sum + counts[key], 0)
  assert.ok(total('resumes') > 50, `${total('resumes')} resumes`)
  assert.ok(total('expired') > 0, 'no client had to list again')
  assert.ok(total('bookmarks') > 20, `${total('bookmarks')} bookmarks`)
  assert.ok(total('events') > 1_000, `${total('events')} events`)
})
