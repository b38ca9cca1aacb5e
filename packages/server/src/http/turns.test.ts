import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Turns } from './turns.ts'

/** A clock that only knows turns of the event loop. */
function create() {
  const soon: (() => void)[] = []
  const turns = new Turns({
    soon: (callback) => void soon.push(callback),
    after: () => () => {},
    monotonicMs: () => 0,
    wallMs: () => 0,
  })
  const started: string[] = []
  const connections = new Map<string, object>()
  const start = (name: string): boolean => {
    const connection = connections.get(name.charAt(0)) ?? {}
    connections.set(name.charAt(0), connection)
    return turns.start(connection, () => started.push(name))
  }
  const nextTurn = (): string[] => {
    started.length = 0
    for (const callback of soon.splice(0)) callback()
    return [...started]
  }
  return { start, nextTurn, started, soon }
}

test('turns: a few requests start at once', () => {
  const { start, nextTurn, started, soon } = create()
  for (let index = 0; index < 64; index++) start(`a${index}`)
  assert.equal(started.length, 64)
  assert.deepEqual(nextTurn(), [])
  assert.equal(soon.length, 0, 'nothing is left to be done')
  start('b')
  assert.deepEqual(started, ['b'])
})

test('turns: of many requests so many start in a turn, and connections take turns', () => {
  const { start, nextTurn, started } = create()
  for (let index = 0; index < 200; index++) start(`a${index}`)
  assert.equal(started.length, 64)
  start('b0')
  start('b1')
  const second = nextTurn()
  assert.equal(second.length, 64)
  assert.deepEqual(second.slice(0, 4), ['a64', 'b0', 'a65', 'b1'])
  assert.equal(nextTurn().length, 64)
  assert.deepEqual(nextTurn(), [
    'a190',
    'a191',
    'a192',
    'a193',
    'a194',
    'a195',
    'a196',
    'a197',
    'a198',
    'a199',
  ])
  assert.deepEqual(nextTurn(), [])
})

test('turns: a connection may have only so many waiting', () => {
  const { start } = create()
  const taken = Array.from({ length: 2_000 }, (_, index) => start(`a${index}`))
  assert.equal(taken.filter((each) => each).length, 1_064)
  assert.ok(start('b0'))
})
