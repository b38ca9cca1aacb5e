import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ApiObject, resourceAtRelease } from '@strata/api'
import { integer } from '@strata/world'
import { createSimRandom } from '@strata/world/sim'
import { type Beacon, beacons } from './beacon.ts'

/** Any beacon that the hub can hold. */
function randomBeacon(random: ReturnType<typeof createSimRandom>): Beacon {
  const whole = random.fraction() < 0.5
  return {
    metadata: {
      name: `b${integer(random, 100)}`,
      ...(random.fraction() < 0.3 ? { annotations: { note: 'kept' } } : {}),
    },
    spec: {
      periodMs: whole ? 1000 * (1 + integer(random, 1000)) : 1 + integer(random, 86_400_000),
      ...(random.fraction() < 0.5 ? { silent: true } : {}),
      ...(random.fraction() < 0.5 ? { colour: 'red' } : {}),
    },
  }
}

test('beacon: there and back in every version is where you were', () => {
  const random = createSimRandom('beacon round trips')
  for (let round = 0; round < 2_000; round++) {
    const hub = randomBeacon(random)
    for (const [name, version] of Object.entries(beacons.versions)) {
      const wire = version.fromHub(structuredClone(hub)) as ApiObject
      const back = version.toHub(structuredClone(wire))
      assert.deepEqual(back, hub, `${name}: ${JSON.stringify(wire)}`)
    }
  }
})

test('beacon: an old client that changes the period is believed, and silence survives it', () => {
  const hub: Beacon = { metadata: { name: 'b' }, spec: { periodMs: 1500, silent: true } }
  const wire = beacons.versions.v1?.fromHub(hub)
  assert.ok(wire)
  assert.equal(wire.spec.everySeconds, 2)
  wire.spec.everySeconds = 7
  assert.deepEqual(beacons.versions.v1?.toHub(wire).spec, { periodMs: 7000, silent: true })
})

const evolution: ReadonlyArray<[release: string, decodable: string[], preferred: string]> = [
  ['x', ['v1'], 'v1'],
  ['x+1', ['v1', 'v2'], 'v1'],
  ['x+2', ['v1', 'v2'], 'v2'],
  ['x+3', ['v2'], 'v2'],
]
for (const [release, decodable, preferred] of evolution) {
  test(`beacon: release ${release} has the versions of the seed's table`, () => {
    const at = resourceAtRelease(beacons as never, release)
    assert.deepEqual(at?.decodable, decodable)
    assert.equal(at?.preferredStorage, preferred)
  })
}
