import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ResourceVerdict } from '@strata/api'
import { beaconPath } from '../support/fleet.ts'
import { startServer } from '../support/one-server.ts'
import { VoteFleet } from '../support/vote-fleet.ts'

const reviews = '/apis/strata.dev/v1alpha1/upgradereviews'
const review = (spec: object) => ({ apiVersion: 'strata.dev/v1alpha1', kind: 'UpgradeReview', spec })
const group = 'lighthouse.example.dev'
const report = { form: 'report' } as const

async function ask(fleet: VoteFleet, through: string, spec: object) {
  const { status, body } = await fleet.ask(through, 'POST', reviews, review(spec))
  assert.equal(status, 201, JSON.stringify(body))
  const beacons = body.status.resources.find((each: ResourceVerdict) => each.resource === 'beacons')
  return { ...body.status, beacons }
}

test('upgrade review: along the releases of a kind, by what is really stored', async () => {
  const fleet = new VoteFleet('upgrade review')
  await fleet.start('a', 'x+1', report)
  const { verdict, beacons } = await ask(fleet, 'a', { release: 'x+3' })
  // Nothing is stored yet, but this server may write v1 at any moment.
  assert.deepEqual([verdict, beacons.reason, beacons.missing], ['Unsafe', 'NotDecodable', [`${group}/v1`]])

  assert.equal(await fleet.write('a', 'one'), 'v1')
  await fleet.restart('a', 'x+2', report)
  assert.equal(await fleet.write('a', 'two'), 'v2')
  const both = await ask(fleet, 'a', { release: 'x+3' })
  assert.deepEqual([both.verdict, both.beacons.missing], ['Unsafe', [`${group}/v1`]])
  assert.match(
    both.beacons.message,
    /stored objects may be in lighthouse.example.dev\/v1; the target reads only/,
  )
  assert.equal((await ask(fleet, 'a', { release: 'x+1' })).verdict, 'Safe')
  const back = await ask(fleet, 'a', { release: 'x' })
  assert.deepEqual([back.verdict, back.beacons.missing], ['Unsafe', [`${group}/v2`]])

  // Rewritten, though the record does not know it: a census sees it.
  const mergePatch = { 'content-type': 'application/merge-patch+json' }
  assert.equal((await fleet.ask('a', 'PATCH', beaconPath('v2', 'one'), {}, mergePatch)).status, 200)
  const migrated = await ask(fleet, 'a', { release: 'x+3' })
  assert.deepEqual(
    [migrated.verdict, migrated.beacons.persistedVersions, migrated.beacons.decodableVersions],
    ['Safe', [`${group}/v2`], [`${group}/v2`]],
  )
})

test('upgrade review: a client can state what a release reads, resource by resource', async () => {
  const fleet = new VoteFleet('upgrade review of resources')
  await fleet.start('a', 'x+1', report)
  const of = (...decodableVersions: string[]) =>
    ask(fleet, 'a', { resources: [{ group, resource: 'beacons', decodableVersions }] })
  assert.equal((await of('v1', 'v2')).verdict, 'Safe')
  assert.equal((await of('v2')).verdict, 'Unsafe')
  const unknown = await ask(fleet, 'a', { resources: [{ group: 'example.dev', resource: 'lamps' }] })
  assert.deepEqual([unknown.verdict, unknown.resources.length], ['CouldNotSee', 1])
})

test('upgrade review: refused are an unknown release, both, and neither', async () => {
  const fleet = new VoteFleet('upgrade review refused')
  await fleet.start('a', 'x+1', report)
  const rows: ReadonlyArray<[spec: object, message: RegExp]> = [
    [{ release: 'y' }, /spec.release: Unsupported value: "y": supported values: "0.1.0", "x", "x\+1"/],
    [{ release: 'x', resources: [{ resource: 'configmaps' }] }, /spec.resources: Forbidden/],
    [{}, /spec.release: Required value: set spec.release to a known release/],
  ]
  for (const [spec, message] of rows) {
    const { status, body } = await fleet.ask('a', 'POST', reviews, review(spec))
    assert.deepEqual([status, body.reason], [422, 'Invalid'])
    assert.match(body.message, message)
  }
})

test('upgrade review: needs the right to ask, and nothing is stored of it', async () => {
  const { send, data } = await startServer('upgrade review rights')
  const before = data.revision
  const asked = await send('POST', reviews, review({ release: 'x' }), { 'impersonate-user': 'jane' })
  assert.equal(asked.status, 403)
  assert.match(asked.body.message, /cannot create resource "upgradereviews" in API group "strata.dev"/)
  const { status, body } = await send('POST', reviews, review({ release: 'x+1' }))
  assert.deepEqual([status, body.kind, body.status.verdict], [201, 'UpgradeReview', 'Safe'])
  assert.equal(data.revision, before)
  assert.equal((await send('GET', reviews)).status, 405)
})
