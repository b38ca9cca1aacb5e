import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import { type BudgetLimits, type BudgetSeat, RequestBudget } from './request-budget.ts'

function budgetOf(limits: BudgetLimits) {
  const simulation = new Simulation('a budget')
  return { simulation, budget: new RequestBudget(simulation.process('p').clock, limits) }
}

/** How many turns it gets until it has to wait. */
function drain(seat: BudgetSeat): number {
  for (let taken = 0; ; taken++) if (seat.take().kind !== 'taken') return taken
}

const shares: readonly [name: string, concurrency: number, passes: number, want: readonly number[]][] = [
  ['one pass has everything', 8, 1, [8]],
  ['several share equally', 8, 2, [4, 4]],
  ['what cannot be divided is left', 8, 3, [2, 2, 2]],
  ['never more than the limit, however many passes there are', 2, 3, [1, 1, 0]],
]
for (const [name, concurrency, passes, want] of shares) {
  test(`request budget: ${name}`, () => {
    const { budget } = budgetOf({ concurrency })
    const seats = Array.from({ length: passes }, () => budget.join(() => {}))
    assert.deepEqual(seats.map(drain), want)
  })
}

test('request budget: a pass that waits is woken when another one ends a write, or leaves', () => {
  const { budget } = budgetOf({ concurrency: 1 })
  let woken = 0
  const one = budget.join(() => {})
  const two = budget.join(() => woken++)
  assert.deepEqual([one.take().kind, two.take().kind], ['taken', 'full'])
  one.release()
  assert.deepEqual([woken, two.take().kind], [1, 'taken'])
  two.release()
  one.leave()
  assert.equal(woken, 2)
})

test('request budget: so many per second, counted over all passes and with their pages', async () => {
  const { simulation, budget } = budgetOf({ concurrency: 64, perSecond: 10 })
  const seats = [budget.join(() => {}), budget.join(() => {})]
  let sent = 0
  for (let tick = 0; tick < 500; tick++) {
    await simulation.run({ untilMs: simulation.nowMs + 10 })
    for (const seat of seats) {
      if (seat.take().kind !== 'taken') continue
      sent++
      seat.release()
    }
    if (tick % 100 === 0) seats[0]?.count()
  }
  // Five seconds: 50 requests, five of them pages.
  assert.ok(sent >= 44 && sent <= 46, String(sent))
})

test('request budget: a turn that has to wait says for how long', () => {
  const { budget } = budgetOf({ concurrency: 64, perSecond: 1 })
  const seat = budget.join(() => {})
  assert.equal(seat.take().kind, 'taken')
  const turn = seat.take()
  assert.ok(turn.kind === 'later' && turn.afterMs > 900 && turn.afterMs <= 1000)
})
