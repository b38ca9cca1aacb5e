import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Commit } from '@strata/server/store'
import { chance, integer, pick, type Random, sleep } from '@strata/world'
import { leasesPath } from '../support/collector-fleet.ts'
import { isFullSize } from '../support/full-size.ts'
import { GatedFleet, type GatedServer } from '../support/gated-fleet.ts'

// Servers come, go, are killed and change their release, in an order that a seed gives. Whenever one of them says that all
// servers serve the same documents, they do.

const objectPath = '/apis/apiservercoordination.k8s.io/v1alpha1/discoverydochashes/built-in'
const documents = ['/apis/lighthouse.example.dev', '/apis/lighthouse.example.dev/v1']
const releases = ['x+1', 'x+1', 'x+1', 'x', 'x+2'] as const

/** What a server serves, without what it says of others. */
async function documentsOf(server: GatedServer): Promise<string> {
  const found: unknown[] = []
  for (const path of documents) {
    const { status, body } = await server.get(path)
    found.push(status === 200 ? { ...body, consistent: undefined } : status)
  }
  return JSON.stringify(found)
}

/** Who holds a Lease, and what is reported: what a claim was made about. */
async function groundOf(
  server: GatedServer,
): Promise<{ readonly holders: readonly string[]; readonly text: string }> {
  const { items } = (await server.get(leasesPath)).body
  const leases: { metadata: { uid: string }; spec: { holderIdentity: string } }[] = items
  const holders = leases.map(({ spec }) => spec.holderIdentity)
  const { resourceVersion } = (await server.get(objectPath)).body.metadata ?? {}
  return { holders, text: `${holders} ${resourceVersion}` }
}

/** True if the server has made a claim and kept to it while all others were looked at. */
async function checkClaim(server: GatedServer, all: readonly GatedServer[]): Promise<boolean> {
  const before = await groundOf(server)
  if ((await server.get('/apis')).body.consistent !== true) return false
  const seen = new Map<string, string>()
  for (const each of all) {
    const isLive = before.holders.includes(each.server.coordinator.identity.process)
    if (isLive && !each.process.crashed) seen.set(each.name, await documentsOf(each))
  }
  const isKept = (await server.get('/apis')).body.consistent === true
  if (!isKept || (await groundOf(server)).text !== before.text) return false
  assert.equal(
    new Set(seen.values()).size,
    1,
    `${server.name} says that all are equal: ${[...seen].join('\n')}`,
  )
  return true
}

async function play(seed: string): Promise<number> {
  const names = ['a', 'b', 'c'] as const
  const fleet = new GatedFleet(seed, {})
  const random: Random = fleet.simulation.fork('play')
  const gates = { EnableCoordinatedDiscoveryDocument: true, AgreedServing: chance(random, 0.5) }
  const form = chance(random, 0.5) ? 'vote' : 'report'
  const servers = new Map<string, GatedServer>()
  // Reports are slow on their way, so that there is time to make wrong claims.
  const isReport = ({ writes }: Commit): boolean => writes.some(({ key }) => key.endsWith('/built-in'))
  const beforeCommit = async (commit: Commit): Promise<void> => {
    if (isReport(commit)) await sleep(fleet.simulation.clock, integer(random, 2_000))
  }
  const start = (name: string): void => {
    const server = fleet.create(name, pick(random, releases), {
      gates,
      form,
      delayMs: 5,
      hooks: { beforeCommit },
    })
    server.ready.catch(() => {})
    servers.set(name, server)
  }
  for (const name of names) start(name)
  await fleet.pass(6_000)
  let claims = 0
  for (let step = 0; step < 8; step++) {
    const name = pick(random, names)
    const old = servers.get(name)
    if (chance(random, 0.5)) old?.process.crash()
    else await old?.stop()
    await fleet.pass(integer(random, 200))
    start(name)
    for (let look = 0; look < 6; look++) {
      await fleet.pass(integer(random, 500))
      const ready = [...servers.values()].filter(({ server }) => server.ready)
      const [first, ...others] = ready
      if (first && (await checkClaim(pick(random, [first, ...others]), [...servers.values()]))) claims++
    }
    await fleet.pass(integer(random, 6_000))
  }
  return claims
}

test('consistent: whoever says that all servers serve the same is right', async (t) => {
  const count = isFullSize ? 60 : 4
  let claims = 0
  for (let seed = 0; seed < count; seed++) claims += await play(`consistent ${seed}`)
  t.diagnostic(`${claims} claims in ${count} worlds`)
  assert.ok(claims > count, 'hardly anybody has claimed anything')
})
