import assert from 'node:assert/strict'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { ask } from '../support/ask.ts'
import { beacon, beaconPath } from '../support/fleet.ts'
import { kubectl } from '../support/kubectl.ts'
import { until } from '../support/until.ts'
import { type LiveFleet, type ServerName, serverNames, withLiveFleet } from './live-fleet.ts'

const featureGates = 'EnableCoordinatedDiscoveryDocument=true,AgreedServing=true'
const v2 = 'lighthouse.example.dev/v2'
const { STRATA_KUBECTL = 'kubectl', STRATA_KUBECTL_OLD } = process.env
/** The old one reads the documents one by one, in which it finds a field that it has never heard of. */
const programs = [STRATA_KUBECTL, ...(STRATA_KUBECTL_OLD ? [STRATA_KUBECTL_OLD] : [])]

/** What kubectl prints, without anything that it has learned before. */
async function say(
  fleet: LiveFleet,
  name: ServerName,
  program: string,
  ...args: readonly string[]
): Promise<string> {
  const home = await mkdtemp(join(fleet.directory, 'home-'))
  const { kubeconfig } = fleet
  const ran = await kubectl([...args, '--context', name], { program, kubeconfig, home })
  assert.equal(ran.code, 0, `kubectl ${args.join(' ')}: ${ran.stderr}`)
  return ran.stdout
}

async function isConsistent(fleet: LiveFleet, name: ServerName): Promise<boolean> {
  return (await ask(fleet.transport(name), 'GET', '/apis')).body.consistent
}

test('coordinated discovery: real servers, an upgrade, and what kubectl sees of it', async (t) => {
  if (!STRATA_KUBECTL_OLD) {
    t.diagnostic('STRATA_KUBECTL_OLD is not set: whether kubectl 1.20 passes over `consistent` is not tried')
  }
  await withLiveFleet({ store: 'sqlite', featureGates }, async (fleet) => {
    await fleet.startAll('x')
    fleet.controllers(...serverNames)
    for (const name of serverNames) await until(`${name} is consistent`, () => isConsistent(fleet, name))
    await ask(fleet.transport('a'), 'POST', beaconPath('v1'), beacon('v1', 'one', 5))
    for (const program of programs) {
      const resources = await say(fleet, 'a', program, 'api-resources')
      assert.match(resources, /^discoverydochashes .* DiscoveryDocHashes$/m)
      assert.match(await say(fleet, 'b', program, 'get', 'beacons'), /^one /m)
      assert.match(await say(fleet, 'c', program, 'get', 'discoverydochashes'), /^built-in +3 +1 /m)
    }

    for (const name of serverNames) {
      for (const each of serverNames) {
        const versions = await say(fleet, each, STRATA_KUBECTL, 'api-versions')
        assert.ok(!versions.split('\n').includes(v2), `${each} before ${name} is upgraded`)
      }
      await fleet.restart(name, 'x+1')
    }
    const beganMs = fleet.world.clock.monotonicMs()
    for (const name of serverNames) {
      await until(`${name} serves v2`, async () => {
        return (await ask(fleet.transport(name), 'GET', `/apis/${v2}`)).status === 200
      })
    }
    t.diagnostic(
      `v2 on all servers ${Math.round(fleet.world.clock.monotonicMs() - beganMs)} ms after the last was ready`,
    )
    for (const program of programs) {
      assert.match(await say(fleet, 'b', program, 'get', 'beacons.v2.lighthouse.example.dev'), /^one /m)
    }
    for (const name of serverNames) await until(`${name} is consistent`, () => isConsistent(fleet, name))

    // Back: with the first server of the old release the new version goes, everywhere.
    await fleet.restart('c', 'x')
    for (const name of serverNames) {
      await until(`${name} has let go of v2`, async () => {
        return (await ask(fleet.transport(name), 'GET', beaconPath('v2', 'one'))).status === 404
      })
    }
    assert.match(await say(fleet, 'a', STRATA_KUBECTL, 'get', 'beacons'), /^one /m)
  })
})
