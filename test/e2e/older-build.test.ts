import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { ask } from '../support/ask.ts'
import { configurationFile } from '../support/encrypted-fleet.ts'
import { agreementPath, beacon, beaconPath } from '../support/fleet.ts'
import { isFullSize } from '../support/full-size.ts'
import { loadedGadgets, loadedPath } from '../support/loaded-kind.ts'
import { olderBuild } from '../support/older-build.ts'
import { type StartServe, serveOf, strataServe } from '../support/serve-process.ts'
import { until } from '../support/until.ts'
import { WriteLoad } from '../support/write-load.ts'
import { defineGadgets, storeGadgetsIn } from './gadgets.ts'
import { expectedList, judgeLoad } from './judge-load.ts'
import { listBeacons } from './list-beacons.ts'
import { type LiveFleet, type ServerName, serverNames, storeKinds, withLiveFleet } from './live-fleet.ts'

const v1 = 'lighthouse.example.dev/v1'
const v2 = 'lighthouse.example.dev/v2'
const someWrites = isFullSize ? 500 : 30
const pauseMs = isFullSize ? 20 : 50

/** Which build each server is started from, until the test says otherwise. */
class Builds {
  readonly #older: StartServe = serveOf(olderBuild())
  readonly #newer = new Set<string>()
  readonly serve: StartServe = (flags) =>
    this.#newer.has(flags.name) ? strataServe(flags) : this.#older(flags)

  use(build: 'older' | 'newer', name: ServerName): void {
    if (build === 'newer') this.#newer.add(name)
    else this.#newer.delete(name)
  }
}

for (const store of storeKinds) {
  test(`older build on ${store}: its store opens in this build, and what this build adds opens in the older one`, async () => {
    const builds = new Builds()
    await withLiveFleet({ store, serve: builds.serve }, async (fleet) => {
      const encryptionFile = join(fleet.directory, 'keys.json')
      await writeFile(encryptionFile, JSON.stringify(configurationFile(['aesgcm:one'], ['secrets'])), {
        mode: 0o600,
      })
      const restart = async (build: 'older' | 'newer'): Promise<void> => {
        builds.use(build, 'a')
        await fleet.restart('a', 'x+1', { encryptionFile })
      }
      await fleet.start('a', 'x+1', { encryptionFile })
      await defineGadgets(fleet.transport('a'), fleet.transport('a'))
      const paths = await writeOneOfEach(fleet, 'before')
      const before = await readAll(fleet, paths)
      const { epoch } = await record(fleet)

      await restart('newer')
      assert.deepEqual(await readAll(fleet, paths), before)
      assert.deepEqual(await record(fleet), { agreedVersion: v1, epoch, servers: 1 })
      await storeGadgetsIn(fleet.transport('a'), 'v2')
      paths.push(...(await writeOneOfEach(fleet, 'after')))
      const after = await readAll(fleet, paths)

      await restart('older')
      assert.deepEqual(await readAll(fleet, paths), after)
      paths.push(...(await writeOneOfEach(fleet, 'again')))
      assert.deepEqual(await record(fleet), { agreedVersion: v1, epoch, servers: 1 })
      assert.deepEqual((await fleet.history()).violations, [])
      assert.deepEqual((await fleet.history(loadedGadgets)).violations, [])
    })
  })

  for (const form of ['report', 'vote'] as const) {
    test(`older build on ${store}, ${form}: servers of both builds agree, upgrade and roll back under load`, async () => {
      const builds = new Builds()
      await withLiveFleet({ store, serve: builds.serve }, async (fleet) => {
        await fleet.startAll('x+1', { form })
        await using load = startLoad(fleet)
        await load.untilMore(someWrites)
        await roll(fleet, load, (name) => builds.use('newer', name), ['x+2', form])
        await untilAgreed(fleet, v2)
        await roll(fleet, load, (name) => builds.use('older', name), ['x+1', form])
        await untilAgreed(fleet, v1)
        await load.untilMore(someWrites)
        await load.stop()

        const history = await fleet.history()
        assert.deepEqual(history.violations, [])
        assert.deepEqual(judgeLoad(load, history), [])
        const epochs = history.records.map(({ epoch }) => epoch)
        assert.deepEqual(
          epochs,
          epochs.toSorted((a, b) => a - b),
          'an epoch went back',
        )
        for (const name of serverNames)
          assert.deepEqual(await listBeacons(fleet, name), expectedList(history))
      })
    })
  }
}

async function roll(
  fleet: LiveFleet,
  load: WriteLoad,
  choose: (name: ServerName) => void,
  [release, form]: readonly [string, 'report' | 'vote'],
): Promise<void> {
  for (const name of serverNames) {
    choose(name)
    await fleet.restart(name, release, { form })
    await load.untilMore(someWrites)
  }
}

function startLoad(fleet: LiveFleet): WriteLoad {
  const servers = serverNames.map((name) => fleet.transport(name))
  const apiVersions = () => ['v1', 'v2'] as const
  return new WriteLoad({ servers: () => servers, apiVersions, random: fleet.world.random, pauseMs })
}

/** One object of each kind that is stored in its own way: built-in, encrypted, from a module, custom. */
async function writeOneOfEach(fleet: LiveFleet, name: string): Promise<string[]> {
  const core = '/api/v1/namespaces/default'
  const { group, kind, contentOf } = loadedGadgets
  const gadget = { apiVersion: `${group}/v1`, kind, metadata: { name }, ...contentOf('v1', 'red') }
  const collections: readonly [string, object][] = [
    [`${core}/configmaps`, { metadata: { name }, data: { colour: 'red' } }],
    [`${core}/secrets`, { metadata: { name }, stringData: { colour: 'red' } }],
    [beaconPath('v1').replace(/\/$/, ''), beacon('v1', name, 5)],
    [loadedPath(loadedGadgets, 'v1'), gadget],
  ]
  const paths: string[] = []
  for (const [path, body] of collections) {
    const answer = await ask(fleet.transport('a'), 'POST', path, body)
    assert.equal(answer.status, 201, `${path}: ${JSON.stringify(answer.body)}`)
    paths.push(`${path}/${name}`)
  }
  return paths
}

async function readAll(fleet: LiveFleet, paths: readonly string[]): Promise<unknown[]> {
  const answers = await Promise.all(paths.map((path) => ask(fleet.transport('a'), 'GET', path)))
  return answers.map(({ status, body }) => {
    assert.equal(status, 200, JSON.stringify(body))
    return body
  })
}

interface Seen {
  readonly agreedVersion: string | undefined
  readonly epoch: number
  readonly servers: number
}

async function record(fleet: LiveFleet): Promise<Seen> {
  const { status, body } = await ask(fleet.transport('a'), 'GET', agreementPath)
  assert.equal(status, 200, JSON.stringify(body))
  const { agreedVersion, epoch, servers } = body.status
  return { agreedVersion, epoch, servers: servers.length }
}

async function untilAgreed(fleet: LiveFleet, version: string): Promise<void> {
  await until(`all agree on ${version}`, async () => {
    const { agreedVersion, servers } = await record(fleet)
    return agreedVersion === version && servers === serverNames.length
  })
}
