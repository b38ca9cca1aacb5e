import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alreadyExists, type Lease, leases, notFound, objectModified } from '@strata/api'
import { sleep, TransportError } from '@strata/world'
import { type SimProcess, Simulation } from '@strata/world/sim'
import { addressOf } from './address.ts'
import { decideCandidacy } from './decide-candidacy.ts'
import { type LeadershipEnd, runAsLeader } from './leader-election.ts'
import type { ResourceClient } from './resource-client.ts'

/** One Lease on one server. Each candidate can be cut off. */
class LeaseServer {
  stored: Lease | undefined
  readonly cut = new Set<string>()
  readonly #simulation: Simulation
  #revision = 1

  constructor(simulation: Simulation) {
    this.#simulation = simulation
  }

  client(process: SimProcess): ResourceClient<Lease> {
    // The server acts even if the candidate is frozen meanwhile; only the answer waits for it.
    const answer = <T>(act: () => T, signal: AbortSignal): Promise<T> =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        this.#simulation.schedule(1, 'request', () => {
          const settle = this.#serve(process, act, resolve, reject)
          process.deliver(1, 'answer', settle)
        })
      })
    return {
      address: addressOf(leases, 'v1'),
      get: ({ name }: { name: string }, signal: AbortSignal) =>
        answer(() => {
          if (!this.stored) throw notFound(leases, name)
          return this.stored
        }, signal),
      create: (lease: Lease, signal: AbortSignal) =>
        answer(() => {
          if (this.stored) throw alreadyExists(leases, 'l')
          return this.put(lease)
        }, signal),
      update: (lease: Lease, signal: AbortSignal) =>
        answer(() => {
          if (lease.metadata.resourceVersion !== this.stored?.metadata.resourceVersion) {
            throw objectModified(leases, 'l')
          }
          return this.put(lease)
        }, signal),
    } as unknown as ResourceClient<Lease>
  }

  put(lease: Lease): Lease {
    const metadata = { ...lease.metadata, uid: 'u', resourceVersion: String(this.#revision++) }
    this.stored = { ...lease, metadata }
    return this.stored
  }

  /** An administrator writes another holder. */
  giveTo(holderIdentity: string): void {
    this.put({
      ...this.stored,
      metadata: this.stored?.metadata ?? {},
      spec: { ...this.stored?.spec, holderIdentity },
    })
  }

  #serve<T>(
    { name }: SimProcess,
    act: () => T,
    resolve: (value: T) => void,
    reject: (error: unknown) => void,
  ): () => void {
    if (this.cut.has(name)) return () => reject(new TransportError('cut off', 'no'))
    try {
      const value = act()
      return () => resolve(value)
    } catch (error) {
      return () => reject(error)
    }
  }
}

function elections(seed: string) {
  const said: string[] = []
  const simulation = new Simulation(seed, { onLine: (line) => said.push(line) })
  const server = new LeaseServer(simulation)
  const leading = new Set<string>()
  let most = 0
  const candidate = (name: string) => {
    const world = simulation.process(name)
    const stop = new AbortController()
    const work = async (signal: AbortSignal): Promise<void> => {
      leading.add(name)
      most = Math.max(most, leading.size)
      try {
        await sleep(world.clock, 1e9, signal)
      } finally {
        leading.delete(name)
      }
    }
    const ends: LeadershipEnd[] = []
    const options = { leases: server.client(world), world, name: 'l', identity: world.id }
    void runAsLeader(options, work, stop.signal).then((end) => ends.push(end))
    world.onCrash(() => leading.delete(name))
    return { world, stop, ends }
  }
  return {
    server,
    candidate,
    leading,
    /** Which candidate logged that it stands by, and for which leader. */
    standingBy: () =>
      said.flatMap((line) => {
        const [, who, leader] = / (\S+) info standing by; .*because="?(\S+) holds it/.exec(line) ?? []
        return who === undefined ? [] : [`${who} for ${leader}`]
      }),
    atMost: () => most,
    run: (untilMs: number) => simulation.run({ untilMs }),
  }
}

test('leader election: after a crash the other candidate leads soon after the Lease expires', async () => {
  const { candidate, leading, run, atMost, server } = elections('crash')
  const a = candidate('a')
  await run(100)
  candidate('b')
  await run(60_000)
  assert.deepEqual([...leading], ['a'])
  a.world.crash()
  await run(74_000)
  assert.deepEqual([...leading], [], 'not before the Lease is over')
  await run(82_000)
  assert.deepEqual([...leading], ['b'])
  assert.equal(atMost(), 1)
  assert.equal(server.stored?.spec?.leaseTransitions, 1)
})

test('leader election: a standby logs it once for each leader', async () => {
  const { candidate, run, standingBy } = elections('standing by')
  const a = candidate('a')
  await run(100)
  candidate('b')
  await run(5_000)
  candidate('c')
  await run(60_000)
  assert.deepEqual(standingBy(), ['b for a', 'c for a'])
  a.world.crash()
  await run(120_000)
  assert.match(String(standingBy().slice(2)), /^(b for c|c for b)$/)
})

test('leader election: a leader that stops releases the Lease, and the next one need not wait', async () => {
  const { candidate, leading, run, server } = elections('stop')
  const a = candidate('a')
  await run(100)
  candidate('b')
  await run(20_000)
  a.stop.abort(new Error('stop'))
  await run(20_050)
  assert.deepEqual(a.ends, ['stopped'])
  assert.equal(server.stored?.spec?.holderIdentity, undefined)
  await run(24_500)
  assert.deepEqual([...leading], ['b'])
})

test('leader election: a leader that cannot renew stops before anyone else can begin', async () => {
  const { candidate, leading, run, atMost, server } = elections('cut off')
  const a = candidate('a')
  await run(100)
  candidate('b')
  await run(20_000)
  server.cut.add('a')
  await run(30_100)
  assert.deepEqual(a.ends, ['lost'])
  assert.deepEqual([...leading], [])
  await run(42_000)
  assert.deepEqual([...leading], ['b'])
  assert.equal(atMost(), 1)
})

test('leader election: wrong wall clocks never make two leaders', async () => {
  const { candidate, leading, run, atMost } = elections('wall')
  const a = candidate('a')
  a.world.jumpWall(-7_200_000)
  await run(100)
  const b = candidate('b')
  for (let at = 1; at <= 20; at++) {
    b.world.jumpWall(at % 2 === 0 ? 3_600_000 : -3_600_000)
    await run(5_000 * at)
  }
  assert.deepEqual([...leading], ['a'])
  assert.equal(atMost(), 1)
})

test('leader election: a leader that was frozen beyond the Lease finds that it has lost', async () => {
  const { candidate, leading, run } = elections('freeze')
  const a = candidate('a')
  await run(100)
  candidate('b')
  await run(20_000)
  a.world.freeze()
  await run(45_000)
  a.world.thaw()
  await run(46_000)
  assert.deepEqual(a.ends, ['lost'])
  assert.deepEqual([...leading], ['b'])
})

test('leader election: a candidate that was frozen while it won does not begin to lead after the Lease', async () => {
  const { candidate, leading, run, atMost, server } = elections('frozen while winning')
  const a = candidate('a')
  await run(3.5)
  assert.equal(server.stored?.spec?.holderIdentity, 'a')
  a.world.freeze()
  candidate('b')
  await run(60_000)
  assert.deepEqual([...leading], ['b'])
  a.world.thaw()
  await run(90_000)
  assert.deepEqual([...leading], ['b'])
  assert.equal(atMost(), 1)
})

test('leader election: a renewal whose answer comes after its time ends the term at once', async () => {
  const { candidate, run, server } = elections('frozen while renewing')
  const a = candidate('a')
  await run(100)
  const before = server.stored
  for (let at = 101; server.stored === before; at += 0.5) await run(at)
  a.world.freeze()
  await run(60_000)
  a.world.thaw()
  await run(60_000.5)
  assert.deepEqual(a.ends, ['lost'])
})

test('leader election: a leader that sees another holder stops within a period, and does not write the Lease', async () => {
  const { candidate, run, server } = elections('another holds it')
  const a = candidate('a')
  await run(100)
  server.giveTo('someone')
  await run(2_500)
  assert.deepEqual(a.ends, ['lost'])
  const b = candidate('b')
  await run(25_000)
  server.giveTo('someone')
  b.stop.abort(new Error('stop'))
  await run(25_100)
  assert.deepEqual(b.ends, ['stopped'])
  assert.equal(server.stored?.spec?.holderIdentity, 'someone')
})

test('leader election: a read that fails does not make the Lease of a dead leader look younger', async () => {
  const { candidate, leading, run, server } = elections('failed read')
  const a = candidate('a')
  await run(100)
  candidate('b')
  await run(20_000)
  a.world.crash()
  await run(28_000)
  server.cut.add('b')
  await run(33_000)
  server.cut.delete('b')
  await run(42_000)
  assert.deepEqual([...leading], ['b'])
})

test('leader election: work that ends by itself ends the term; the error of failed work is thrown', async () => {
  const simulation = new Simulation('work')
  const world = simulation.process('a')
  const options = { leases: new LeaseServer(simulation).client(world), world, name: 'l', identity: 'a' }
  const { signal } = new AbortController()
  assert.equal(await simulation.settle(runAsLeader(options, async () => {}, signal)), 'finished')
  const failing = runAsLeader(options, () => Promise.reject(new Error('bug')), signal)
  await assert.rejects(simulation.settle(failing), /bug/)
})

const lease = (spec: Lease['spec']): Lease => ({ metadata: {}, ...(spec ? { spec } : {}) })
const held = { holderIdentity: 'other', leaseDurationSeconds: 15, renewTime: '1999-01-01T00:00:00.000000Z' }
const cases: readonly [string, Lease | undefined, number, string][] = [
  ['no Lease is created', undefined, 0, 'create'],
  ['a Lease without holder is taken', lease({ leaseDurationSeconds: 15 }), 0, 'take'],
  ['a Lease whose holder is empty is taken', lease({ holderIdentity: '' }), 0, 'take'],
  ['its own Lease is renewed, however old', lease({ ...held, holderIdentity: 'me' }), 99_000, 'renew'],
  ['the Lease of another is respected, whatever times are in it', lease(held), 14_999, 'wait'],
  ['the Lease of another is taken after its duration without a change', lease(held), 15_000, 'take'],
  ['its own duration counts, not ours', lease({ ...held, leaseDurationSeconds: 60 }), 59_999, 'wait'],
  ['one without duration gets ours', lease({ holderIdentity: 'other' }), 14_999, 'wait'],
]
for (const [name, seen, ageMs, want] of cases) {
  test(`candidacy: ${name}`, () => {
    const candidacy = { identity: 'me', nowMs: 500 + ageMs, unchangedSinceMs: 500, leaseDurationMs: 15_000 }
    assert.equal(decideCandidacy({ ...candidacy, lease: seen }).do, want)
  })
}
