import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairQueue } from './fair-queue.ts'

function drain(queue: FairQueue<string>): string {
  const order: string[] = []
  for (let next = queue.next(); next !== undefined; next = queue.next()) order.push(next)
  return order.join(' ')
}

const cases: ReadonlyArray<[added: string, want: string]> = [
  ['', ''],
  ['a1 a2 a3', 'a1 a2 a3'],
  ['a1 a2 a3 b1', 'a1 b1 a2 a3'],
  ['a1 a2 b1 b2 c1', 'a1 b1 c1 a2 b2'],
]
for (const [added, want] of cases) {
  test(`fair queue: ${added || 'nothing'} comes as ${want || 'nothing'}`, () => {
    const queue = new FairQueue<string>(3)
    for (const each of added.split(' ').filter(Boolean)) assert.ok(queue.add(each.charAt(0), each))
    assert.equal(drain(queue), want)
  })
}

test('fair queue: one may have only so many waiting, others are not concerned', () => {
  const queue = new FairQueue<string>(2)
  assert.deepEqual(
    ['a1', 'a2', 'a3', 'b1'].map((each) => queue.add(each.charAt(0), each)),
    [true, true, false, true],
  )
  assert.equal(queue.next(), 'a1')
  assert.ok(queue.add('a', 'a4'), 'there is room again')
  assert.equal(drain(queue), 'b1 a2 a4')
})

test('fair queue: what is taken away does not come, and leaves room', () => {
  const queue = new FairQueue<string>(1)
  queue.add('a', 'a1')
  queue.add('b', 'b1')
  queue.remove('a', 'a1')
  queue.remove('c', 'never there')
  assert.ok(queue.add('a', 'a2'))
  assert.equal(drain(queue), 'b1 a2')
})

test('fair queue: who has used least is next, and what is put back comes first of its own', () => {
  const used: Record<string, number> = { a: 5, b: 2, c: 2 }
  const queue = new FairQueue<string>(3, (who) => used[who] ?? 0)
  for (const each of ['a1', 'b1', 'b2', 'c1']) queue.add(each.charAt(0), each)
  assert.deepEqual(
    [queue.hasOtherBelow('a', 3), queue.hasOtherBelow('a', 2), queue.hasOtherBelow('b', 3)],
    [true, false, true],
  )
  assert.equal(queue.next(), 'b1')
  queue.putBack('b', 'b1')
  used['b'] = 9
  queue.add('d', 'd1')
  assert.equal(drain(queue), 'd1 c1 a1 b1 b2')
})

test('fair queue: who has used much has a turn after so many of newcomers', () => {
  const queue = new FairQueue<string>(3, (who) => (who === 'victim' ? 9 : 0), 3)
  queue.add('victim', 'v1')
  queue.add('victim', 'v2')
  const order: Array<string | undefined> = []
  for (let n = 0; n < 9; n++) {
    queue.add(`n${n}`, `n${n}`)
    order.push(queue.next())
  }
  assert.deepEqual(order, ['n0', 'n1', 'n2', 'v1', 'n3', 'n4', 'n5', 'v2', 'n6'])
})

test('fair queue: what a newcomer starts with', () => {
  const queue = new FairQueue<string>(3, (who) => (who === 'a' ? 5 : 7))
  assert.equal(queue.leastBefore('c'), undefined, 'no user waits')
  queue.add('a', 'a1')
  queue.add('b', 'b1')
  assert.equal(queue.leastBefore('c'), 5)
  assert.equal(queue.leastBefore('b'), undefined, 'no newcomer')
})
