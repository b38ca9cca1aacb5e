import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, type ApiObject, expired } from '@strata/api'
import { createLog, InvariantBroken, type Log, TransportError } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { createInformer, type InformerOptions } from './informer.ts'
import type { ResourceClient, WatchOptions } from './resource-client.ts'
import type { WatchEvent } from './watch-events.ts'

type Step = WatchEvent | { readonly fails: unknown } | { readonly sleepsMs: number }
interface Script {
  /** One per request, in order; the last one is repeated. */
  readonly lists: readonly (readonly ApiObject[] | Error)[]
  readonly listVersions: readonly string[]
  readonly watches: readonly (readonly Step[])[]
}

const object = (name: string, resourceVersion: string): ApiObject => ({
  metadata: { name, uid: `uid-${name}`, resourceVersion },
})
const bookmark = (resourceVersion: string): Step => ({
  type: 'BOOKMARK',
  object: { metadata: { resourceVersion } },
})

function scripted(script: Script, options: Partial<InformerOptions<ApiObject>> = {}, log?: Log) {
  const simulation = new Simulation('informer')
  const client = simulation.process('client')
  const world = { clock: client.clock, random: client.random, log: log ?? client.log }
  const asked: string[] = []
  const notified: string[] = []
  let lists = 0
  let watches = 0
  async function* watch({ resourceVersion }: WatchOptions, signal: AbortSignal): AsyncGenerator<WatchEvent> {
    asked.push(`watch ${resourceVersion}`)
    const steps = script.watches[watches++] ?? [{ sleepsMs: 1e9 }]
    for (const step of steps) {
      if ('fails' in step) throw step.fails
      if ('sleepsMs' in step) {
        signal.throwIfAborted()
        await new Promise<void>((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true })
          world.clock.after(step.sleepsMs, resolve)
        })
      } else yield step
    }
  }
  const resource = {
    address: { group: '', versionName: 'v1', resource: 'things' },
    list: async () => {
      asked.push('list')
      const at = Math.min(lists++, script.lists.length - 1)
      const items = script.lists[at]
      if (items instanceof Error || items === undefined) throw items
      return {
        kind: 'List',
        apiVersion: 'v1',
        metadata: { resourceVersion: script.listVersions[at] ?? '0' },
        items,
      }
    },
    watch,
  } as unknown as ResourceClient
  const informer = createInformer(resource, {
    world,
    onChange: ({ kind, object: { metadata } }) => {
      notified.push(`${kind} ${metadata.name} ${metadata.resourceVersion}`)
    },
    ...options,
  })
  const stop = new AbortController()
  const running = informer.run(stop.signal)
  return {
    asked,
    notified,
    informer,
    world,
    stop,
    ended: running,
    run: async (untilMs: number) => {
      await simulation.run({ untilMs })
      return simulation
    },
    end: async () => {
      stop.abort(new Error('stopped'))
      await simulation.settle(running)
    },
  }
}

test('informer: lists, watches, and resumes an ended watch from the last event', async () => {
  const { run, asked, notified, informer, end } = scripted({
    lists: [[object('a', '3')]],
    listVersions: ['5'],
    watches: [
      [{ type: 'ADDED', object: object('b', '6') }],
      [bookmark('40')],
      [{ type: 'DELETED', object: object('a', '41') }],
    ],
  })
  assert.equal(informer.synced, false)
  await run(10_000)
  assert.deepEqual(asked, ['list', 'watch 5', 'watch 6', 'watch 40', 'watch 41'])
  assert.deepEqual(notified, ['added a 3', 'added b 6', 'deleted a 3'])
  assert.deepEqual([...informer.store.keys()], ['b'])
  await end()
})

test('informer: an expired revision makes it list again, and it notifies of the differences only', async () => {
  const { run, asked, notified, end } = scripted({
    lists: [
      [object('a', '3'), object('b', '4')],
      [object('b', '20'), object('c', '21')],
    ],
    listVersions: ['5', '30'],
    watches: [[{ fails: expired('too old resource version: 5 (19)') }]],
  })
  await run(10_000)
  assert.deepEqual(asked, ['list', 'watch 5', 'list', 'watch 30'])
  assert.deepEqual(notified, ['added a 3', 'added b 4', 'deleted a 3', 'modified b 20', 'added c 21'])
  await end()
})

test('informer: any other failure resumes the watch without a list', async () => {
  const { run, asked, end } = scripted({
    lists: [[]],
    listVersions: ['5'],
    watches: [
      [{ fails: new TransportError('broken', 'unknown') }],
      [{ fails: new ApiError(500, 'InternalError', 'x') }],
    ],
  })
  await run(10_000)
  assert.deepEqual(asked, ['list', 'watch 5', 'watch 5', 'watch 5'])
  await end()
})

test('informer: a failed list is retried with backoff, and nothing counts as deleted', async () => {
  const failure = new ApiError(500, 'InternalError', 'x')
  const { run, asked, notified, informer, end } = scripted({
    lists: [[object('a', '3')], failure],
    listVersions: ['5'],
    watches: [[{ fails: expired('gone') }]],
  })
  await run(300_000)
  assert.ok(asked.length > 8 && asked.length < 25, `asked ${asked.length} times in five minutes`)
  assert.deepEqual(notified, ['added a 3'])
  assert.ok(informer.synced)
  await end()
})

test('informer: a watch that brought events is resumed soon, however many have ended', async () => {
  const watches = Array.from({ length: 30 }, (_, at): Step[] => [
    { type: 'MODIFIED', object: object('a', String(10 + at)) },
  ])
  const { run, notified, end } = scripted({ lists: [[object('a', '3')]], listVersions: ['5'], watches })
  await run(30_000)
  assert.equal(notified.length, 31)
  await end()
})

test('informer: honours Retry-After', async () => {
  const busy = new ApiError(429, 'TooManyRequests', 'busy', { retryAfterSeconds: 60 })
  const { run, asked, end } = scripted({ lists: [busy], listVersions: [], watches: [] })
  await run(40_000)
  assert.deepEqual(asked, ['list'])
  await run(80_000)
  assert.deepEqual(asked, ['list', 'list'])
  await end()
})

test('informer: a watch without any event is ended and resumed', async () => {
  const { run, asked, end } = scripted(
    { lists: [[]], listVersions: ['5'], watches: [[bookmark('8'), { sleepsMs: 1e9 }]] },
    { stallMs: 20_000 },
  )
  await run(25_000)
  assert.deepEqual(asked, ['list', 'watch 5', 'watch 8'])
  await end()
})

test('informer: a quiet server is watched all the time', async () => {
  const { run, asked, end } = scripted(
    { lists: [[]], listVersions: ['5'], watches: [] },
    { stallMs: 20_000, backoff: { firstMs: 500, maxMs: 30_000 } },
  )
  await run(42 * 20_000)
  const watches = asked.filter((each) => each === 'watch 5').length
  assert.ok(watches >= 40, `${watches} watches`)
  await end()
})

test('informer: a late subscriber is notified of the existing objects first', async () => {
  const { run, informer, end } = scripted({ lists: [[object('a', '3')]], listVersions: ['5'], watches: [] })
  await run(1_000)
  const heard: string[] = []
  informer.subscribe(({ kind, key }) => heard.push(`${kind} ${key}`))
  assert.deepEqual(heard, ['added a'])
  await end()
})

test('informer: a listener that throws is logged, and no listener loses a change', async () => {
  const logged: string[] = []
  const log = createLog((level, message, { change, error }) => {
    logged.push(`${level} ${message}: ${change}: ${String(error).split('\n')[0]}`)
  })
  const heard: string[] = []
  const { run, asked, informer, end } = scripted(
    {
      lists: [[object('a', '3'), object('b', '4')]],
      listVersions: ['5'],
      watches: [[{ type: 'ADDED', object: object('c', '6') }, { sleepsMs: 1e9 }]],
    },
    {
      onChange: ({ key }) => {
        if (key !== 'b') throw new TypeError(`no ${key}`)
      },
    },
    log,
  )
  informer.subscribe(({ kind, key }) => heard.push(`${kind} ${key}`))
  await run(1_000)
  assert.ok(informer.synced)
  assert.deepEqual(heard, ['added a', 'added b', 'added c'])
  assert.deepEqual(asked, ['list', 'watch 5'])
  assert.deepEqual(logged, [
    'error a listener threw; continuing: added a: TypeError: no a',
    'error a listener threw; continuing: added c: TypeError: no c',
  ])
  await end()
})

test('informer: one that is stopped as its list ends does not watch on', async () => {
  const { run, ended, asked, stop } = scripted(
    { lists: [[object('a', '3')]], listVersions: ['5'], watches: [] },
    { onChange: () => stop.abort(new Error('stopped')) },
  )
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  await run(1_000)
  assert.deepEqual([asked, isOver], [['list', 'watch 5'], true])
})

test('informer: a broken invariant in a listener ends it', async () => {
  const broken = new InvariantBroken('seen by a listener')
  const { run, ended } = scripted(
    { lists: [[object('a', '3')]], listVersions: ['5'], watches: [] },
    {
      onChange: () => {
        throw broken
      },
    },
  )
  const end = assert.rejects(ended, broken)
  await run(1_000)
  await end
})
