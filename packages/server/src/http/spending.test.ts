import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { Accounts, heldRequest } from './accounts.ts'
import { type BudgetLimits, decideOverdraft, type Spent } from './spending.ts'

const limits: BudgetLimits = {
  requestUnits: 1,
  resetUnits: 10,
  connection: 100,
  connectionUnderPressure: 20,
  authenticated: 500,
  connectionPerSecond: 10,
  server: 1_000,
  serverPerSecond: 100,
}
const idle: Spent = { isAuthenticated: false, own: 0, shared: 0 }
const cases: ReadonlyArray<[name: string, spent: Partial<Spent>, isOverdrawn: boolean]> = [
  ['nothing spent', {}, false],
  ['all of its own', { own: 100 }, false],
  ['more than its own', { own: 101 }, true],
  ['little, while others spend much', { own: 20, shared: 5_000 }, false],
  ['some, while others spend much', { own: 21, shared: 5_000 }, true],
  ['some, while others spend all that there is', { own: 21, shared: 1_000 }, false],
  ['authenticated, and under pressure', { isAuthenticated: true, own: 500, shared: 5_000 }, false],
  ['authenticated, and too many resets', { isAuthenticated: true, own: 501 }, true],
]
for (const [name, spent, want] of cases) {
  test(`budget: ${name}`, () => assert.equal(decideOverdraft({ ...idle, ...spent }, limits), want))
}

function create() {
  const warnings: unknown[] = []
  const simulation = new Simulation('accounts')
  const { clock } = simulation.process('server')
  const log = createLog((_, message, fields) => warnings.push([message, fields]))
  return { accounts: new Accounts(clock, log, limits), warnings, simulation }
}
const times = (count: number, act: () => boolean): number =>
  Array.from({ length: count }, act).filter((each) => each).length

test('accounts: each connection has its own, and resets cost more than requests', () => {
  const { accounts } = create()
  const [one, other] = [{}, {}]
  assert.equal(accounts.of(one), accounts.of(one))
  assert.equal(
    times(200, () => accounts.of(one).request()),
    100,
  )
  assert.equal(
    times(20, () => accounts.of(other).reset()),
    10,
  )
})

test('accounts: many connections that each spend little put all under pressure', () => {
  const { accounts } = create()
  for (let index = 0; index < 20; index++) times(6, () => accounts.of({ index }).reset())
  assert.equal(
    times(200, () => accounts.of({}).request() && accounts.of({}).request()),
    200,
    'those that send a request or two are not meant',
  )
  const late = accounts.of({})
  assert.equal(
    times(100, () => late.request()),
    20,
  )
})

test('accounts: who authenticates pays for resets only, and gives back what it cost the others', () => {
  const { accounts } = create()
  const all = Array.from({ length: 20 }, () => accounts.of({}))
  for (const each of all) assert.ok(times(60, () => each.request()))
  for (const each of all) each.authenticated()
  assert.equal(
    times(1_000, () => all[0]?.request() ?? false),
    1_000,
  )
  const stranger = accounts.of({})
  assert.equal(
    times(60, () => stranger.request()),
    60,
    'there is no pressure',
  )
})

test('accounts: a reset of a request that was not answered for over a second costs nothing', () => {
  const { accounts } = create()
  const account = accounts.of({})
  assert.equal(
    times(1_000, () => account.reset(1_001)),
    1_000,
  )
  assert.equal(
    times(20, () => account.reset(1_000)),
    10,
  )
})

test('accounts: what has leaked away is not given back', async () => {
  const { accounts, simulation } = create()
  const early = accounts.of({})
  assert.ok(times(60, () => early.request()))
  await simulation.run({ untilMs: simulation.nowMs + 2_000 })
  for (let index = 0; index < 21; index++) times(6, () => accounts.of({ index }).reset())
  early.authenticated()
  const late = accounts.of({})
  assert.equal(
    times(100, () => late.request()),
    20,
    'the others cost as much as before',
  )
})

test('accounts: a request with a credential that waits costs nothing, unless the credential is none', () => {
  const { accounts } = create()
  const account = accounts.of({})
  let closed = 0
  const waiting = Array.from({ length: 150 }, () => {
    assert.ok(account.request(), 'it is not closed for those that wait')
    const held = heldRequest(account, () => closed++)
    held.onHeld()
    return held
  })
  for (const each of waiting) {
    each.onUnauthenticated()
    each.onUnauthenticated()
  }
  assert.equal(closed, 50, 'each was charged once')
})

test('accounts: a request that was charged when it came is not charged again', () => {
  const { accounts } = create()
  const account = accounts.of({})
  for (let index = 0; index < 100; index++) {
    assert.ok(account.request())
    heldRequest(account, () => assert.fail('closed')).onUnauthenticated()
  }
})

test('accounts: closed connections are reported together, and the last of them ten seconds later', async () => {
  const { accounts, warnings, simulation } = create()
  for (let index = 0; index < 500; index++) accounts.reportClosed('10.0.0.1')
  assert.equal(warnings.length, 1)
  await simulation.run({ untilMs: simulation.nowMs + 60_000 })
  const message = 'closed connections that reset or send too many requests without authenticating'
  assert.deepEqual(warnings, [
    [message, { closed: 1, lastFrom: '10.0.0.1' }],
    [message, { closed: 499, lastFrom: '10.0.0.1' }],
  ])
  accounts.reportClosed('10.0.0.2')
  assert.equal(warnings.length, 3, 'at once again')
  accounts.reportClosed('10.0.0.2')
  accounts.close()
  assert.equal(warnings.length, 4, 'what is left, at the end')
})
