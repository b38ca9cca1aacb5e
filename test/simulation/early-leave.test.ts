import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideAgreement, type ProtocolRules, protocolRules } from '@strata/server'
import type { Commit } from '@strata/server/store'
import { beaconPrefix } from './keys.ts'
import { beacon, beacons, Stage } from './stage.ts'
import type { StoreTap } from './world/fleet.ts'
import { partsOf } from './world/shape.ts'

// Rules 7 and 14: a loose server leaves no mark only if nothing that it has sent may still arrive. A strict
// server needs no mark, because the record's guard refuses a late write. A loose server has no such guard.

/** No process that goes leaves a mark, whatever it has on its way. */
const leaveAtOnce: ProtocolRules['decideAgreement'] = (facts, ...more) => {
  const present = new Set(facts.entries.map(({ process }) => process))
  const gone = facts.previous?.servers.find(({ process }) => !present.has(process))
  return decideAgreement(gone ? { ...facts, leavingProcess: gone.process } : facts, ...more)
}

/** Holds the first commit of a beacon where it reaches the store: its sender gives it up, and it arrives all the same. */
class LateArrival implements StoreTap {
  #letGo: (() => void) | undefined
  #isHeld = false

  get holds(): boolean {
    return this.#letGo !== undefined
  }

  letGo(): void {
    this.#letGo?.()
  }

  wrap: StoreTap['wrap'] = (_process, store) => store

  hooks() {
    return {
      beforeCommit: async ({ writes }: Commit): Promise<void> => {
        if (this.#isHeld || !writes.some(({ key }) => key.startsWith(beaconPrefix))) return
        this.#isHeld = true
        await new Promise<void>((resolve) => {
          this.#letGo = resolve
        })
      },
    }
  }
}

for (const isBroken of [false, true]) {
  const what = isBroken
    ? 'is stored in an epoch that is called fenced, where a farewell is said too early'
    : 'is expected, for no farewell is said'
  test(`leave: what a loose server has on its way when it leaves ${what}`, async () => {
    const tap = new LateArrival()
    const sabotage = {
      ...{ name: 'farewell-too-early', breaks: 'rules 7 and 14', caughtBy: ['persisted-versions'] as const },
      rules: { ...protocolRules, decideAgreement: leaveAtOnce },
    }
    const stage = new Stage(
      `early farewell ${what}`,
      { parts: partsOf['one-loose'] },
      { tap, ...(isBroken ? { sabotage } : {}) },
    )
    const a = await stage.start('a', 'x+1')
    const b = await stage.start('b', 'x+1')
    const sent = stage.send('b', { method: 'POST', target: beacons, body: beacon('late', 'red') })
    await stage.until('it has reached the store', () => tap.holds)
    const { status } = await stage.world.simulation.settle(sent)
    assert.equal(status, 504, 'the outcome is unknown')
    stage.world.fleet.stop(b)
    await stage.until('b has left', () => b.process.crashed)
    stage.world.fleet.stop(a)
    await stage.until('a has left', () => a.process.crashed)
    await stage.start('a', 'x+2')
    await stage.pass(1_000)
    const isFenced = stage.record.status.conditions.some(
      (each) => each.type === 'Fenced' && each.status === 'True',
    )
    assert.equal(isFenced, isBroken)
    tap.letGo()
    await stage.pass(1_000)
    const found = stage
      .broken()
      .filter(({ checker }) => ['persisted-versions', 'migration-proof'].includes(checker))
    assert.equal(found.length > 0, isBroken, JSON.stringify(found))
  })
}
