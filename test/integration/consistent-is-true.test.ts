import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConsistencyFacts, decideConsistent, leaseKind, protocolRules } from '@strata/server'
import type { Commit } from '@strata/server/store'
import { chance, integer, pick, type Random, sleep } from '@strata/world'
import { fewKinds } from '../support/few-kinds.ts'
import { isFullSize } from '../support/full-size.ts'
import { GatedFleet, type GatedServer } from '../support/gated-fleet.ts'

// Servers come, go, are killed, lose the store and change their release, in an order that a seed gives. Whenever one of them
// says that all servers serve the same documents, they do.

type Rule = typeof decideConsistent

const leasePrefix = '/registry/leases/kube-system/'
const hashesPrefix = '/registry/apiservercoordination.k8s.io/'
const documents = ['/apis/lighthouse.example.dev', '/apis/lighthouse.example.dev/v1']
const releases = ['x+1', 'x+1', 'x+1', 'x', 'x+2'] as const

/** The discovery documents of a server, without its reports about others. */
async function documentsOf(server: GatedServer): Promise<string> {
  const found: unknown[] = []
  for (const path of documents) {
    const { status, body } = await server.get(path)
    found.push(status === 200 ? { ...body, consistent: undefined } : status)
  }
  return JSON.stringify(found)
}

/** The Leases and reports in the store, which a claim of consistency is about. */
function groundOf({ data }: GatedFleet): { readonly holders: readonly string[]; readonly text: string } {
  const leases = data.list({ prefix: leasePrefix }).entries.map((entry) => leaseKind.decode(entry))
  const holders = leases.map(({ spec }) => spec?.holderIdentity ?? '')
  const reports = data.list({ prefix: hashesPrefix }).entries.map(({ revision }) => revision)
  return { holders, text: `${holders} ${reports}` }
}

/** Two claims with nothing changed between them, and not all alike: what was said, or undefined. */
async function falseClaim(
  fleet: GatedFleet,
  server: GatedServer,
  all: readonly GatedServer[],
): Promise<{ readonly claimed: boolean; readonly problem?: string }> {
  const before = groundOf(fleet)
  if ((await server.get('/apis')).body.consistent !== true) return { claimed: false }
  const seen = new Map([[server.name, await documentsOf(server)]])
  for (const each of all) {
    const isLive = before.holders.includes(each.server.coordinator.identity.process)
    if (isLive && !each.process.crashed) seen.set(each.name, await documentsOf(each))
  }
  const isKept = (await server.get('/apis')).body.consistent === true
  if (!isKept || groundOf(fleet).text !== before.text) return { claimed: false }
  if (new Set(seen.values()).size === 1) return { claimed: true }
  return { claimed: true, problem: `${server.name} says that all are equal: ${[...seen].join('\n')}` }
}

/** How often something was claimed, or what was claimed wrongly. */
async function play(seed: string, rule: Rule = decideConsistent): Promise<number | string> {
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
      ...{ gates, form, delayMs: 5, hooks: { beforeCommit }, builtInResources: fewKinds },
      rules: { ...protocolRules, decideConsistent: rule },
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
    // One of the others hears of nothing any more.
    const deaf = chance(random, 0.3) ? servers.get(pick(random, names)) : undefined
    if (deaf && deaf !== old) deaf.isCutOff = true
    if (chance(random, 0.5)) old?.process.crash()
    else await old?.stop()
    await fleet.pass(integer(random, 200))
    start(name)
    for (let look = 0; look < 6; look++) {
      await fleet.pass(integer(random, 500))
      const ready = [...servers.values()].filter(({ server }) => server.ready)
      const [first, ...others] = ready
      if (!first) continue
      const { claimed, problem } = await falseClaim(fleet, pick(random, [first, ...others]), [
        ...servers.values(),
      ])
      if (problem !== undefined) return problem
      if (claimed) claims++
    }
    if (deaf) deaf.isCutOff = false
    await fleet.pass(integer(random, 6_000))
  }
  return claims
}

test('consistent: a server that says that all serve the same is right', async (t) => {
  const count = isFullSize ? 60 : 4
  let claims = 0
  for (let seed = 0; seed < count; seed++) {
    const played = await play(`consistent ${seed}`)
    assert.ok(typeof played === 'number', String(played))
    claims += played
  }
  t.diagnostic(`${claims} claims in ${count} worlds`)
  assert.ok(claims > count, 'hardly anybody has claimed anything')
})

/** Each condition of a claim, left out. `first`: the world in which that was seen to be noticed. */
const sabotages: Readonly<
  Record<string, { readonly first: number; readonly facts: (facts: ConsistencyFacts) => ConsistencyFacts }>
> = {
  'a view that may be old is believed': {
    first: 0,
    facts: (facts) => ({ ...facts, isFresh: true }),
  },
  'a live server that has not reported does not count': {
    first: 0,
    facts: (facts) => ({ ...facts, liveServers: new Set([facts.own.apiServerID]) }),
  },
}
const worlds = 20

for (const [name, { first, facts: weaken }] of Object.entries(sabotages)) {
  test(`consistent, broken: ${name}, and a server says what is not so`, async (t) => {
    for (let each = 0; each < worlds; each++) {
      const seed = (first + each) % worlds
      const played = await play(`consistent ${seed}`, (facts) => decideConsistent(weaken(facts)))
      if (typeof played === 'string') {
        t.diagnostic(`noticed in world ${seed}`)
        return
      }
    }
    assert.fail(`not noticed in ${worlds} worlds`)
  })
}

/** Two serve the next version as soon as the third, which does not have it, is gone; one of them has not heard of that. */
async function playUnheard(rule: Rule): Promise<{ readonly claims: boolean; readonly isTrue: boolean }> {
  const fleet = new GatedFleet('unheard', { EnableCoordinatedDiscoveryDocument: true, AgreedServing: true })
  let isSlow = false
  const options = {
    builtInResources: fewKinds,
    rules: { ...protocolRules, decideConsistent: rule },
  }
  const beforeCommit = async ({ writes }: Commit): Promise<void> => {
    if (isSlow && writes.some(({ key }) => key.endsWith('/built-in')))
      await sleep(fleet.simulation.clock, 600_000)
  }
  const a = await fleet.start('a', 'x+1', { ...options, hooks: { beforeCommit } })
  const b = await fleet.start('b', 'x+1', options)
  const c = await fleet.start('c', 'x', options)
  await fleet.pass(30_000)
  const before = await documentsOf(a)
  assert.equal((await a.get('/apis')).body.consistent, true)
  isSlow = true
  b.isCutOff = true
  await c.stop()
  for (let each = 0; each < 30 && (await documentsOf(a)) === before; each++) await fleet.pass(5_000)
  const claims = (await a.get('/apis')).body.consistent === true
  const shown = await documentsOf(a)
  assert.notEqual(shown, before, 'nothing else is served')
  return { claims, isTrue: shown === (await documentsOf(b)) }
}

test('consistent: a server that shows something else than it has reported claims nothing', async () => {
  assert.deepEqual(await playUnheard(decideConsistent), { claims: false, isTrue: false })
})

test('consistent, broken: what this server has reported counts for what it shows, and a server says what is not so', async () => {
  const believesItself: Rule = (facts) => {
    const reported = facts.entries?.find(({ apiServerID }) => apiServerID === facts.own.apiServerID)
    return decideConsistent({ ...facts, own: reported ?? facts.own })
  }
  assert.deepEqual(await playUnheard(believesItself), { claims: true, isTrue: false })
})
