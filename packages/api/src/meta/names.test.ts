import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agreementName, agreementResource } from './names.ts'

for (const [name, group, resource] of [
  ['core.pods', '', 'pods'],
  ['apps.deployments', 'apps', 'deployments'],
  ['lighthouse.example.dev.beacons', 'lighthouse.example.dev', 'beacons'],
] as const) {
  test(`names: ${name} is of ${resource} in "${group}", there and back`, () => {
    assert.deepEqual(agreementResource(name), { group, resource })
    assert.equal(agreementName({ group, resource }), name)
  })
}
