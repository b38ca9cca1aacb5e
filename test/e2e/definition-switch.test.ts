import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeClock } from '@strata/world/node'
import { ask } from '../support/ask.ts'
import { isFullSize } from '../support/full-size.ts'
import {
  loadedGadgets as gadgets,
  type LoadedVersion,
  loadedPath,
  loadedRecordName,
} from '../support/loaded-kind.ts'
import { countVersions } from '../support/raw-history.ts'
import { until } from '../support/until.ts'
import { WriteLoad } from '../support/write-load.ts'
import { defineGadgets, storeGadgetsIn } from './gadgets.ts'
import { judgeDefinitions } from './judge-definitions.ts'
import { expectedList, judgeLoad } from './judge-load.ts'
import { type LiveFleet, type ServerName, storeKinds, withLiveFleet } from './live-fleet.ts'

const names = ['a', 'b', 'c'] as const
const switches = isFullSize ? 60 : 6
/** Acknowledged writes that are awaited between two switches. */
const someWrites = isFullSize ? 200 : 60

const agreementPath = `/apis/strata.dev/v1alpha1/storageagreements/${loadedRecordName(gadgets)}`

/** The errors a client gets while servers register anew, or are gone: nothing was written, or the outcome is unknown. */
const documented = new Set([
  'acknowledged',
  'looked',
  'read back',
  'could not connect',
  'connection lost',
  '503 ServiceUnavailable',
  '504 Timeout',
  // For a write whose first response was lost with its server.
  '409 Conflict',
  '409 AlreadyExists',
  '404 NotFound',
])

for (const store of storeKinds) {
  test(`definition switch on ${store}: the storage version goes to and fro under load, and nothing unrecorded is stored`, async (t) => {
    await withLiveFleet({ store }, async (fleet) => {
      await fleet.startAll('x+1')
      await defineGadgets(fleet.transport('a'), fleet.transport('c'))
      const servers = names.map((name) => fleet.transport(name))
      const { random } = fleet.world
      await using load = new WriteLoad({
        ...{ servers: () => servers, apiVersions: () => ['v1', 'v2'], random, kind: gadgets, pauseMs: 5 },
      })
      const startedMs = nodeClock.monotonicMs()
      await load.untilMore(2 * someWrites)
      const usualMs = longestGap(load.acknowledgedMs, startedMs, nodeClock.monotonicMs())

      const pauses: number[] = []
      let stored: LoadedVersion = 'v1'
      for (let each = 0; each < switches; each++) {
        const through = names[each % names.length] ?? 'a'
        stored = stored === 'v1' ? 'v2' : 'v1'
        if (each === Math.floor(switches / 2)) await fleet.server('b').kill()
        const switchedMs = nodeClock.monotonicMs()
        const reachable = through === 'b' && !fleet.server('b').running ? 'a' : through
        await storeGadgetsIn(fleet.transport(reachable), stored)
        await load.untilMore(someWrites)
        pauses.push(longestGap(load.acknowledgedMs, switchedMs, nodeClock.monotonicMs()))
        if (!fleet.server('b').running) await fleet.start('b', 'x+1')
      }
      await assertAgreed(fleet, `${gadgets.group}/${stored}`)
      await load.untilMore(someWrites)
      await load.stop()

      const history = await fleet.history(gadgets)
      t.diagnostic(
        JSON.stringify({
          puts: countVersions(history.puts),
          deletes: history.deletes.length,
          epoch: history.records.at(-1)?.epoch,
          load: load.counts,
        }),
      )
      const shown = pauses.map((ms) => ms.toFixed()).join(', ')
      t.diagnostic(
        `longest time without an acknowledged write, in ms: ${shown} around the switches (the ${Math.floor(switches / 2) + 1}th with a server killed), ${usualMs.toFixed()} before them`,
      )
      assert.deepEqual(history.violations, [])
      assert.deepEqual(judgeDefinitions(history, gadgets), [])
      assert.deepEqual(judgeLoad(load, history), [])
      assert.deepEqual(
        Object.keys(load.counts).filter((each) => !documented.has(each)),
        [],
      )
      for (const name of names) assert.deepEqual(await list(fleet, name, stored), expectedList(history))
    })
  })
}

/** The longest time between two of these moments, of which the last before the beginning is one. */
function longestGap(momentsMs: readonly number[], fromMs: number, toMs: number): number {
  const before = momentsMs.findLast((each) => each <= fromMs) ?? fromMs
  const within = [before, ...momentsMs.filter((each) => each > fromMs && each <= toMs), toMs]
  return Math.max(...within.map((each, index) => each - (within[index - 1] ?? each)))
}

async function assertAgreed(fleet: LiveFleet, apiVersion: string): Promise<void> {
  await until(`all servers store ${apiVersion}`, async () => {
    const { body } = await ask(fleet.transport('c'), 'GET', agreementPath)
    const entries = body.status.servers.map((each: { serverID: string }) => each.serverID)
    const all = names.map((name) => fleet.idOf(name))
    return body.status.agreedVersion === apiVersion && entries.toSorted().join() === all.toSorted().join()
  })
}

async function list(
  fleet: LiveFleet,
  name: ServerName,
  versionName: LoadedVersion,
): Promise<Record<string, string | undefined>> {
  const { status, body } = await ask(fleet.transport(name), 'GET', loadedPath(gadgets, versionName))
  assert.equal(status, 200, JSON.stringify(body))
  type Item = { metadata: { name: string }; spec: { colour?: string } }
  return Object.fromEntries(body.items.map(({ metadata, spec }: Item) => [metadata.name, spec.colour]))
}
