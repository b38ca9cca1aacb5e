import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import {
  type ApiObject,
  apiVersionOf,
  type StorageCensus,
  storageAgreements,
  storageCensuses,
} from '@strata/api'
import {
  type Client,
  createClient,
  createFailoverTransport,
  createInformer,
  type Informer,
} from '@strata/client'
import { inParallel } from '../bench/contestant.ts'
import { createLoadClient } from '../bench/load/create-load-client.ts'
import { sendBy } from '../bench/load/send.ts'
import { isFullSize } from '../support/full-size.ts'
import { type LoadedVersion, loadedGadgets, loadedPath } from '../support/loaded-kind.ts'
import { MigratorProcess, type MigratorTask } from '../support/migrator-process.ts'
import type { Access } from '../support/serve-process.ts'
import { until } from '../support/until.ts'
import { defineGadgets, storeGadgetsIn } from './gadgets.ts'
import { type Expected, type Heard, judgeWatch, overhear, relistsOf } from './judge-watch.ts'
import { type LiveFleet, type ServerName, type StoreKind, storeKinds, withLiveFleet } from './live-fleet.ts'

const never = new AbortController().signal
/** `npm run test:full` has a scale of 8: a hundred thousand. */
const scale = Number(process.env.STRATA_TEST_SCALE ?? 1)
const count = isFullSize ? Math.round(12_500 * scale) : 400
const pages = 40
const { group, plural, kind } = loadedGadgets
const resource = { group, resource: plural }
const names = ['a', 'b'] as const
const patience = { giveUpMs: isFullSize ? 600_000 : 60_000 }
const nameOf = (index: number): string => `gadget-${String(index).padStart(6, '0')}`

function clientOf(fleet: LiveFleet, first: ServerName = 'a'): Client {
  const second = first === 'a' ? 'b' : 'a'
  const transport = createFailoverTransport([fleet.transport(first), fleet.transport(second)])
  return createClient({ transport, userAgent: 'bulk-migration' })
}

/** By a client that does as little as it can: with the usual one, making them would take longer than migrating them. */
async function fill(through: Access): Promise<void> {
  const load = createLoadClient(through, '1')
  const send = sendBy(load, 'fill')
  try {
    await inParallel({ count, atOnce: 16 }, (index) => {
      const gadget = {
        ...{ apiVersion: `${group}/v1`, kind, metadata: { name: nameOf(index) } },
        spec: { colour: `colour ${index} ${'x'.repeat(300)}` },
      }
      return send('POST', loadedPath(loadedGadgets, 'v1'), Buffer.from(JSON.stringify(gadget)))
    })
  } finally {
    load.close()
  }
}

async function switchTo(fleet: LiveFleet, versionName: LoadedVersion): Promise<void> {
  await storeGadgetsIn(fleet.transport('a'), versionName)
  const records = clientOf(fleet).resource(storageAgreements, 'v1alpha1')
  const want = apiVersionOf(group, versionName)
  await until(
    `agreed on ${want}`,
    async () => {
      const { status } = await records.get({ name: `${group}.${plural}` }, never)
      return status.agreedVersion === want && status.servers.length === names.length
    },
    patience,
  )
}

async function census(fleet: LiveFleet): Promise<StorageCensus['status']> {
  const censuses = clientOf(fleet).resource<StorageCensus>(storageCensuses, 'v1alpha1')
  return (await censuses.create({ metadata: {}, spec: resource }, never)).status
}

class Watcher {
  readonly heard: readonly Heard[]
  readonly informer: Informer<ApiObject>
  readonly #stop = new AbortController()
  readonly #ended: Promise<void>

  constructor(fleet: LiveFleet, first: ServerName) {
    const address = { group, versionName: 'v1', resource: plural }
    const { resource: gadgets, heard } = overhear(clientOf(fleet, first).metadata(address))
    this.heard = heard
    this.informer = createInformer(gadgets, { world: fleet.world, backoff: { firstMs: 50, maxMs: 500 } })
    this.#ended = this.informer.run(this.#stop.signal)
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('seen enough'))
    await this.#ended
  }
}

/** Says how long a part took, at once: of a run that does not come to its end one wants to know how far it came. */
async function timed<T>(what: string, run: () => Promise<T>): Promise<T> {
  const startMs = performance.now()
  const value = await run()
  const tookMs = performance.now() - startMs
  if (isFullSize) process.stderr.write(`${what}: ${(tookMs / 1000).toFixed(1)} s\n`)
  return value
}

type Blow = 'migrator' | ServerName

/** After each of these the migrator is killed. At full size it is killed alone twice, and each server once; else one of them. */
const blowsOf = (store: StoreKind, nextToData: boolean): readonly Blow[] => {
  if (isFullSize) return ['migrator', 'a', 'migrator', 'b']
  return [(store === 'etcd') === nextToData ? 'b' : 'migrator']
}

const taskOf = (fleet: LiveFleet, nextToData: boolean, run: string): MigratorTask => ({
  servers: names.map((name) => fleet.access(name)),
  ...{ resource, nextToData, pageSize: Math.ceil(count / pages) },
  stateFile: join(fleet.directory, `${run}.json`),
})

async function migrateUnderBlows(fleet: LiveFleet, task: MigratorTask, blows: readonly Blow[], step: string) {
  for (const [index, blow] of blows.entries()) {
    await timed(`${step}: blow ${index + 1}, to ${blow}`, () => strike(fleet, task, blow))
  }
  return new MigratorProcess(task).done
}

/** Kills a server in the middle of its next step, or the migrator after it. */
async function strike(fleet: LiveFleet, task: MigratorTask, blow: Blow): Promise<void> {
  const migrator = new MigratorProcess({ ...task, holdAt: [4, 7] })
  try {
    await migrator.held()
    if (blow === 'migrator') return
    migrator.goOn()
    await fleet.server(blow).kill()
    await migrator.held()
    await fleet.start(blow, 'x+1')
  } finally {
    await migrator.kill()
  }
}

// Side by side: for most of the time each waits for processes.
describe('bulk migration', { concurrency: true }, () => {
  for (const store of storeKinds) {
    test(`on ${store}: ${count} custom resources through the API, and back next to the data, under blows`, async (t) => {
      await withLiveFleet({ store }, async (fleet) => {
        await fleet.start('a', 'x+1')
        await defineGadgets(fleet.transport('a'), fleet.transport('a'))
        await timed(`${store}: made`, () => fill(fleet.access('a')))
        await timed(`${store}: another server`, () => fleet.start('b', 'x+1'))
        const watchers = names.map((name) => new Watcher(fleet, name))
        try {
          await timed(`${store}: watchers in sync`, async () => {
            for (const { informer } of watchers) await informer.whenSynced(never)
          })
          for (const [versionName, nextToData] of [
            ['v2', false],
            ['v1', true],
          ] as const) {
            const step = `${store}, to ${versionName}, ${nextToData ? 'next to the data' : 'through the API'}`
            await timed(`${step}: agreed`, () => switchTo(fleet, versionName))
            const before = await timed(`${step}: census before`, () => census(fleet))
            assert.deepEqual([before?.total, before?.stale], [count, count])
            const { outcome, proof, because, progress } = await timed(`${step}: migrated`, () =>
              migrateUnderBlows(
                fleet,
                taskOf(fleet, nextToData, versionName),
                blowsOf(store, nextToData),
                step,
              ),
            )
            t.diagnostic(JSON.stringify({ versionName, nextToData, because, progress }))
            assert.deepEqual([outcome, proof], ['succeeded', 'proven'], because)
            const after = await timed(`${step}: census after`, () => census(fleet))
            const encodings = [{ encodingVersion: apiVersionOf(group, versionName), count }]
            assert.deepEqual([after?.encodings, after?.stale, after?.proven], [encodings, 0, true])
            const again = await timed(`${step}: second pass`, () => {
              const task = taskOf(fleet, nextToData, `${versionName}-again`)
              return new MigratorProcess(task).done
            })
            assert.deepEqual([again.outcome, again.progress.migrated], ['succeeded', 0], again.because)
          }
          const relists = await timed(`${store}: watchers judged`, () => judgeWatchers(fleet, watchers))
          t.diagnostic(JSON.stringify({ relists }))
          // So little history is never lost.
          if (!isFullSize) assert.deepEqual(relists, [0, 0])
        } finally {
          for (const watcher of watchers) await watcher.stop()
        }
        const { code, exceptions, marked } = await timed(`${store}: audited`, () => fleet.audit())
        assert.deepEqual([code, exceptions, marked >= 3 * count], [0, 0, true])
      })
    })
  }
})

/** Every state of every object came to each of them in order; one is missing only where history was lost. Says how often. */
async function judgeWatchers(fleet: LiveFleet, watchers: readonly Watcher[]): Promise<readonly number[]> {
  const { items } = await clientOf(fleet)
    .metadata({ group, versionName: 'v1', resource: plural })
    .list({}, never)
  assert.equal(items.length, count)
  const stored = new Map(
    items.map(({ metadata }) => [metadata.name ?? '', Number(metadata.resourceVersion)] as const),
  )
  // As it was made, and once more for each of the two migrations, whichever process was killed meanwhile.
  const expected = { stored, states: 3 }
  for (const { informer, heard } of watchers) {
    await until(
      'the watcher has seen the last of it',
      () =>
        [...stored].every(
          ([name, at]) => Number(informer.store.get(`default/${name}`)?.metadata.resourceVersion) === at,
        ),
      patience,
    )
    const problems = judgeWatch(heard, expected)
    assert.deepEqual(problems.slice(0, 20), [], `${problems.length} problems`)
    assertNoticed(heard, expected)
  }
  return watchers.map(({ heard }) => relistsOf(heard))
}

/** Had the last change that came been lost, or had it come before one of an earlier revision, the same judge would say so. */
function assertNoticed(heard: readonly Heard[], expected: Expected): void {
  const change = heard.findLast((each) => each.what === 'MODIFIED')
  assert.ok(change && 'name' in change)
  // Also if the watch has sent it again.
  const without = heard.filter(
    (each) => !('name' in each && each.name === change.name && each.at === change.at),
  )
  assert.notDeepEqual(judgeWatch(without, expected), [], 'lost')
  const before = without.findLastIndex(({ what, at }) => what === 'MODIFIED' && at < change.at)
  assert.notDeepEqual(judgeWatch(without.toSpliced(before, 0, change), expected), [], 'too early')
}
