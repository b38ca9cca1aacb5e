import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { type AgreementStatus, persistedKeysOf, type StorageCensusStatus } from '@strata/api'
import { createProgram } from '@strata/cli'
import { ask } from '../support/ask.ts'
import { configurationFile } from '../support/encrypted-fleet.ts'
import { agreementPath, beacon, beaconPath } from '../support/fleet.ts'
import { isFullSize } from '../support/full-size.ts'
import { beaconsPrefix } from '../support/raw-history.ts'
import { until } from '../support/until.ts'
import { WriteLoad } from '../support/write-load.ts'
import { type LiveFleet, type ServerName, serverNames, storeKinds, withLiveFleet } from './live-fleet.ts'

/** Acknowledged writes that are awaited in each step. */
const someWrites = isFullSize ? 1_000 : 30
/** Objects that no client writes to, so that only a migration rewrites them. */
const resting = isFullSize ? 2_000 : 20
const beacons = ['beacons.lighthouse.example.dev']
/** Not taken over while it is being written: half a file is none. */
const fileOf = (fleet: LiveFleet, name: ServerName): string => join(fleet.directory, `keys-${name}.json`)

async function give(fleet: LiveFleet, names: readonly ServerName[], ...keys: string[]): Promise<void> {
  for (const name of names) {
    await writeFile(fileOf(fleet, name), JSON.stringify(configurationFile(keys, beacons)), { mode: 0o600 })
  }
}

const recordOf = async (fleet: LiveFleet): Promise<AgreementStatus> =>
  (await ask(fleet.transport('a'), 'GET', agreementPath)).body.status

const shortOf = (key: string): string => key.split(':').slice(0, 2).join(':')

/** Waits until the entries of all servers in the record meet a condition. */
async function untilKeys(
  fleet: LiveFleet,
  what: string,
  isSo: (server: { writeKey: string; readableKeys: readonly string[] }) => boolean,
): Promise<void> {
  await until(
    what,
    async () => {
      const { servers } = await recordOf(fleet)
      return (
        servers.length === serverNames.length &&
        servers.every(({ writeKey, readableKeys }) =>
          isSo({ writeKey: shortOf(writeKey), readableKeys: readableKeys.map(shortOf) }),
        )
      )
    },
    { giveUpMs: 30_000 },
  )
}

async function question<T>(fleet: LiveFleet, name: ServerName, kind: string, spec: object): Promise<T> {
  const resource = { group: 'lighthouse.example.dev', resource: 'beacons' }
  const body = { apiVersion: 'strata.dev/v1alpha1', kind, spec: { ...resource, ...spec } }
  const path = `/apis/strata.dev/v1alpha1/${kind.toLowerCase()}${kind.endsWith('Census') ? 'es' : 's'}`
  const answer = await ask(fleet.transport(name), 'POST', path, body)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body.status as T
}

/** The reason, by its own check, why a server cannot take over its file. */
const refusalOf = async (fleet: LiveFleet, name: ServerName): Promise<string> => {
  const { status, body } = await ask(fleet.transport(name), 'GET', '/readyz/encryption-provider-config')
  return status === 200 ? '' : String(body)
}

interface Rotation {
  readonly code: number
  readonly step: string
  readonly servers: string
  readonly snippet?: readonly string[]
  readonly droppable: readonly string[]
  readonly migrations: readonly { readonly migrated: number }[]
}

/** Runs the guided rotation once. */
async function rotate({ kubeconfig, world }: LiveFleet, ...flags: readonly string[]): Promise<Rotation> {
  const said: string[] = []
  const code = await createProgram({
    ...{ world, signal: new AbortController().signal, environment: {}, isTerminal: false, screen: undefined },
    ...{ execPath: '', entry: '', print: (text) => said.push(text), warn: (text) => said.push(text) },
  }).run(['rotate-keys', '--kubeconfig', kubeconfig, '-o', 'json', ...flags])
  const report = JSON.parse(said.join(''))
  return { ...report, code, servers: report.next[0] ?? '' }
}

for (const store of storeKinds) {
  test(`key rotation on ${store}: each step under load, none before its time, and nothing is ever unreadable`, async (t) => {
    await withLiveFleet({ store }, async (fleet) => {
      await give(fleet, serverNames, 'aescbc:one')
      await Promise.all(
        serverNames.map((name) => fleet.start(name, 'x+1', { encryptionFile: fileOf(fleet, name) })),
      )
      for (let index = 0; index < resting; index++) {
        await ask(fleet.transport('a'), 'POST', beaconPath('v1'), beacon('v1', `rests-${index}`, 5))
      }
      const servers = serverNames.map((name) => fleet.transport(name))
      await using load = new WriteLoad({
        ...{ servers: () => servers, apiVersions: () => ['v1', 'v2'], random: fleet.world.random },
      })
      await load.untilMore(someWrites)

      // Too early: one server alone has the new key, and in the first place.
      await give(fleet, ['a'], 'aesgcm:two', 'aescbc:one')
      await until('a reads it', async () =>
        (await recordOf(fleet)).servers.some(({ readableKeys }) => readableKeys.length === 2),
      )
      await load.untilMore(someWrites)
      await untilKeys(fleet, 'all write with the old key', ({ writeKey }) => writeKey === 'aescbc:one')

      const adding = await rotate(fleet, '--to', 'aesgcm:two')
      assert.deepEqual([adding.code, adding.step, adding.droppable], [1, 'add', []])
      assert.match(adding.servers, /every server \(b, c\)/)
      assert.ok(
        adding.snippet?.includes('  - resources: [beacons.lighthouse.example.dev]'),
        String(adding.snippet),
      )

      // Add, agree.
      await give(fleet, ['b', 'c'], 'aescbc:one', 'aesgcm:two')
      await untilKeys(fleet, 'all read both', ({ readableKeys }) => readableKeys.length === 2)
      await load.untilMore(someWrites)

      const promoting = await rotate(fleet, '--to', 'aesgcm:two')
      assert.deepEqual([promoting.code, promoting.step], [1, 'promote'])
      assert.match(promoting.servers, /every server \(b, c\)/)

      // Too early: some still write with the old one, and everything may be under it.
      await give(fleet, ['a'], 'aesgcm:two')
      const tooEarly = await until('a refuses to drop the key', async () => await refusalOf(fleet, 'a'))
      assert.match(
        tooEarly,
        /drops keys that are not proven to be out of use: beacons.lighthouse.example.dev/,
      )
      await give(fleet, ['a'], 'aesgcm:two', 'aescbc:one')

      // Promote, agree.
      await give(fleet, ['b', 'c'], 'aesgcm:two', 'aescbc:one')
      await untilKeys(fleet, 'all write with the new key', ({ writeKey }) => writeKey === 'aesgcm:two')
      await load.untilMore(someWrites)

      // A server that does not have the new key is of no use, and does no harm.
      await fleet.server('c').terminate()
      await give(fleet, ['c'], 'aescbc:one')
      const lacking = fleet.launch('c', 'x+1', { encryptionFile: fileOf(fleet, 'c') })
      await until('c refuses', async () =>
        (await recordOf(fleet)).servers.some(({ keyProblem }) => keyProblem?.includes('aesgcm:two')),
      )
      await load.untilMore(someWrites)
      await lacking.kill()
      await give(fleet, ['c'], 'aesgcm:two', 'aescbc:one')
      await fleet.start('c', 'x+1', { encryptionFile: fileOf(fleet, 'c') })
      await untilKeys(fleet, 'all write with the new key again', ({ writeKey }) => writeKey === 'aesgcm:two')

      // Migrate, prove: without a word what the new key is.
      const shown = await rotate(fleet, '--dry-run')
      assert.deepEqual([shown.code, shown.step, shown.migrations], [1, 'rewrite', []])
      const rewritten = await rotate(fleet, '--yes')
      assert.deepEqual([rewritten.code, rewritten.step], [0, 'drop'], JSON.stringify(rewritten))
      assert.deepEqual(rewritten.droppable.map(shortOf), ['aescbc:one'])
      const [migration = assert.fail()] = rewritten.migrations
      assert.ok(migration.migrated >= resting)
      const census = await question<StorageCensusStatus>(fleet, 'c', 'StorageCensus', { maxObjects: 3 })
      assert.deepEqual([census.stale, census.unreadable, census.proven], [0, 0, true], JSON.stringify(census))
      assert.deepEqual(persistedKeysOf(await recordOf(fleet)).map(shortOf), ['aesgcm:two'])

      // Remove.
      await give(fleet, serverNames, 'aesgcm:two')
      await untilKeys(fleet, 'no server has the old key', ({ readableKeys }) => readableKeys.length === 1)
      const over = await rotate(fleet, '--to', 'aesgcm:two')
      assert.deepEqual([over.code, over.step, over.snippet], [0, 'done', undefined])
      await load.untilMore(someWrites)
      await load.stop()

      t.diagnostic(JSON.stringify({ load: load.counts, rewritten: migration.migrated, census: census.total }))
      assert.equal(load.counts['500 StorageReadError'], undefined, 'something could not be read')
      assert.equal(load.counts['500 InternalError'], undefined)
      for (const name of serverNames) assert.equal(await refusalOf(fleet, name), '')
      const seals = await fleet.withStore(async (raw) => {
        const { entries } = await raw.list({ prefix: beaconsPrefix }, new AbortController().signal)
        return new Set(entries.map(({ value }) => Buffer.from(value).subarray(0, 22).toString('latin1')))
      })
      assert.deepEqual([...seals], ['k8s:enc:aesgcm:v1:two:'])

      // Every put of the whole history was under the key that its writer had recorded just before.
      const all = join(fleet.directory, 'all-keys.json')
      await writeFile(
        all,
        JSON.stringify(configurationFile(['aesgcm:two', 'aescbc:one', 'identity'], beacons)),
      )
      const audit = await fleet.audit('--encryption-provider-config', all)
      assert.deepEqual([audit.code, audit.exceptions], [0, 0], JSON.stringify(audit.exceptionList))
    })
  })
}
