import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '@strata/server/store'
import { Gate } from './gate.ts'
import { agreementPrefix, exampleRecord } from './keys.ts'
import { readLeasesFirst } from './lying-store.ts'
import { dropAbsenceGuards } from './sabotaged-store.ts'
import { beacon, beacons, Stage } from './stage.ts'
import { partsOf } from './world/shape.ts'

// Rules 11 and 12: a record is judged by Leases that are read after it, and an entry is removed only under a guard on the
// absence of its Lease. Either rule alone keeps a server from being expelled, and outvoted, when it registers between the
// two reads. Without both:

const cases: ReadonlyArray<[what: string, wrap: (store: Store) => Store, isExpelled: boolean]> = [
  ['with both rules, is heard', (store) => store, false],
  ['and Leases are read before the record: is heard, by the guard', readLeasesFirst, false],
  ['and no absence is guarded: is heard, by the order', dropAbsenceGuards, false],
  [
    'without either rule, is expelled and outvoted',
    (store) => readLeasesFirst(dropAbsenceGuards(store)),
    true,
  ],
]

for (const [what, wrap, isExpelled] of cases) {
  test(`leases: a server that registers while another one reads, ${what}`, async () => {
    const gate = new Gate()
    const sabotage = {
      ...{ name: 'leases-before-record', breaks: 'rules 11 and 12' },
      caughtBy: ['live-not-expelled'] as const,
      wrapConnection: (store: Store) => wrap(gate.wrap({ name: 'any server' }, store)),
    }
    const stage = new Stage(`leases: ${what}`, { parts: partsOf.vote }, { sabotage })
    // 1. a is for v1, selects it, stores an object and leaves: v1 stays selected.
    const first = await stage.start('a', 'x+1')
    await stage.ask('a', { method: 'POST', target: beacons, body: beacon('one', 'red') })
    stage.world.fleet.stop(first)
    await stage.until('a has left', () => first.process.crashed)
    // 2. b is for v2, and is about to read the record to register.
    gate.hold(
      ({ kind, keys }) =>
        kind === 'read' && keys.length > 1 && keys[0] === `${agreementPrefix}${exampleRecord}`,
    )
    const b = stage.world.fleet.start('b', 'b', 'x+2')
    await stage.until('b asks for the record', () => gate.holds)
    // 3. a takes its Lease again, and registers.
    await stage.start('a', 'x+1')
    // 4. b reads the record, and registers.
    gate.letGo()
    await stage.until('b is ready', () => b.server.ready)
    const found = stage.broken().filter(({ checker }) => checker === 'live-not-expelled')
    assert.equal(found.length > 0, isExpelled, JSON.stringify(found))
  })
}
