import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, type StorageState } from '@strata/api'
import type { Client } from '@strata/client'
import { Simulation } from '@strata/world/sim'
import type { ObservedMigration } from './observed-migration.ts'
import { storageState } from './state-for-test.ts'
import { createTrigger, type ObservedResource } from './trigger.ts'
import type { TriggerMetrics } from './trigger-metrics.ts'
import { triggerDefaults } from './trigger-options.ts'

const hash = 'now'
const home = { group: 'migration.k8s.io', versionName: 'v1alpha1' } as const
const key = 'cronjobs.batch'
const { signal } = new AbortController()

function stateAt(
  resourceVersion: string,
  persisted: readonly string[],
  heartbeat: string,
  current = hash,
): StorageState {
  const state = storageState({
    persistedStorageVersionHashes: [...persisted],
    currentStorageVersionHash: current,
    lastHeartbeatTime: heartbeat,
  })
  return { ...state, metadata: { ...state.metadata, resourceVersion } }
}

/** A trigger that sees what it is shown, and a server that writes down what is asked of it. */
function stage(title: string) {
  const { clock, log } = new Simulation(title).process('trigger')
  const heartbeat = `${new Date(clock.wallMs()).toISOString().slice(0, 19)}Z`
  const done: string[] = []
  /** Requests that are refused once, each with its error. */
  const refusals = new Map<string, Error>()
  const ask = (what: string): void => {
    const refusal = refusals.get(what)
    refusals.delete(what)
    if (refusal) throw refusal
    done.push(what)
  }
  let revision = 5
  const migrations = {
    address: { ...home, resource: 'storageversionmigrations' },
    patch: async (_: object, { metadata }: { metadata: { uid?: string } }) => ask(`mark ${metadata.uid}`),
    delete: async (_: object, { preconditions }: { preconditions: { uid?: string } }) =>
      ask(`cancel ${preconditions.uid}`),
    create: async (object: object) => {
      ask('create')
      return object
    },
  }
  const states = {
    address: { ...home, resource: 'storagestates' },
    updateSubresource: async (_: string, state: StorageState) => {
      ask(`write ${state.status?.persistedStorageVersionHashes?.join()}`)
      const metadata = { ...state.metadata, resourceVersion: String(++revision) }
      show.state = { ...state, metadata }
      return show.state
    },
  }
  const mark = { target: hash, stateUID: 'state', attempt: 1, persisted: ['Unknown', hash] }
  const succeeded = (isAccounted: boolean): ObservedMigration => ({
    ...{ name: 'm', uid: 'm-uid', createdAt: heartbeat, phase: 'succeeded', endedAt: heartbeat },
    ...{ result: 'ObservedClean', boundTo: hash, mark: { ...mark, isAccounted }, home },
  })
  const show = {
    resource: { group: 'batch', resource: 'cronjobs' },
    source: { kind: 'discovery', hash, polledAtMs: clock.wallMs() } as const,
    state: stateAt('5', ['Unknown', hash], heartbeat) as StorageState | undefined,
    migrations: [succeeded(false)] as readonly ObservedMigration[],
    ...{ wasDeleted: false, servedVersion: 'v1', home },
  } satisfies ObservedResource
  const resource = ({ resource: plural }: { readonly resource: string }) =>
    plural === 'storagestates' ? states : migrations
  const trigger = createTrigger({
    ...{ client: { resource } as unknown as Client, clock, log, events: { record: () => {} } },
    metrics: { decided: () => {}, failed: () => {}, forget: () => {} } as unknown as TriggerMetrics,
    options: { ...triggerDefaults, accept: 'observed-clean', equalPolls: 1 },
    see: async () => ({ ...show }),
  })
  const look = () => trigger.reconcile(key, signal)
  return { show, done, refusals, look, succeeded, heartbeat }
}

test('trigger: a migration whose mark is heard of before the state that it shrank is not made again', async () => {
  const { show, done, look, succeeded, heartbeat } = stage('mark before state')
  const before = show.state
  await look()
  assert.deepEqual(done, ['mark m-uid', `write ${hash}`])
  Object.assign(show, { migrations: [succeeded(true)], state: before })
  await look()
  show.state = stateAt('6', [hash], heartbeat)
  await look()
  assert.deepEqual(done.slice(2), [])
})

const down = new Error('no server answers')
const gone = new ApiError(404, 'NotFound', 'gone', {
  ...{ group: home.group, kind: 'storageversionmigrations', name: 'm' },
})
const another = new ApiError(409, 'Conflict', 'Precondition failed: UID in precondition')

// An old leader marks what it saw succeed, and meanwhile that was removed, and perhaps made again under its name.
for (const [what, refusal] of [
  ['is gone', gone],
  ['is another one', another],
] as const) {
  test(`trigger: a migration that ${what} by the time it is marked is counted for nothing`, async () => {
    const { done, refusals, look } = stage(what)
    refusals.set('mark m-uid', refusal)
    assert.deepEqual(await look(), { lookAgainMs: 200 })
    assert.deepEqual(done, [])
  })
}

/** All servers wrote `before`, and a migration to it has succeeded but is not counted yet; now they write another. */
function moved(title: string) {
  const play = stage(title)
  const { show, heartbeat, succeeded } = play
  show.state = stateAt('5', ['Unknown', 'before'], heartbeat, 'before')
  const mark = { target: 'before', stateUID: 'state', attempt: 1, persisted: ['Unknown', 'before'] }
  show.migrations = [{ ...succeeded(false), boundTo: 'before', mark: { ...mark, isAccounted: false } }]
  return play
}
const inOrder = ['cancel m-uid', `write Unknown,before,${hash}`, 'create']

test('trigger: X3, X6: what was made before goes, then the state is written, then one is asked for', async () => {
  const { done, look } = moved('order')
  await look()
  assert.deepEqual(done, inOrder)
})

// Were the state written first: it says `now`, and we stop here; all go back to `before`; the next leader finds a state that
// says so again beside a migration to it that has succeeded, and forgets what was stored in between.
test('trigger: X3, X6: what could not be cancelled leaves the state as it was, and is tried again', async () => {
  const { done, refusals, look } = moved('no cancel')
  refusals.set('cancel m-uid', down)
  await assert.rejects(look, down)
  assert.deepEqual(done, [])
  await look()
  assert.deepEqual(done, inOrder)
})

test('trigger: X3, X6: a migration that could not be made counts as a failure, and made by the next try', async () => {
  const { show, done, refusals, look } = moved('no create')
  refusals.set('create', down)
  await assert.rejects(look, down)
  assert.deepEqual(done, inOrder.slice(0, 2))
  show.migrations = []
  await look()
  assert.deepEqual(done, inOrder)
})
