import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { Accounts } from './accounts.ts'
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

function create(): { accounts: Accounts; warnings: unknown[] } {
  const warnings: unknown[] = []
  const { clock } = new Simulation('accounts').process('server')
  const log = createLog((_, message, fields) => warnings.push([message, fields]))
  return { accounts: new Accounts(clock, log, limits), warnings }
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

test('accounts: closed connections are reported together', () => {
  const { accounts, warnings } = create()
  for (let index = 0; index < 500; index++) accounts.reportClosed('10.0.0.1')
  assert.equal(warnings.length, 1)
})
