import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, test } from 'node:test'
import type { Processes } from '@strata/world'
import { lockDataDir } from './data-dir-lock.ts'

const processes = (pid: number, gone: readonly number[] = [], bootId = 'boot/pid:[1]'): Processes => ({
  self: { bootId, pid, startTicks: `${pid}` },
  hostname: 'h',
  isGone: (mark) => mark.bootId === bootId && gone.includes(mark.pid),
})

describe('lock of a data directory', () => {
  const homes: string[] = []
  let home = ''
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'strata-lock-'))
    homes.push(home)
  })
  after(() => {
    for (const each of homes) rmSync(each, { recursive: true, force: true })
  })

  test('a second fleet is refused in one line, and what it left is cleared away', () => {
    lockDataDir(home, processes(1))
    assert.throws(() => lockDataDir(home, processes(2)), {
      name: 'CliError',
      message: 'a fleet already runs here (pid 1): stop it, or give another --data-dir',
    })
    assert.deepEqual(readdirSync(home), ['up.lock'])
  })

  test('a lock that was given back is free', () => {
    lockDataDir(home, processes(1)).release()
    assert.deepEqual(readdirSync(home), [])
    lockDataDir(home, processes(2))
  })

  test('the lock of a process that is gone is taken over', () => {
    lockDataDir(home, processes(1))
    lockDataDir(home, processes(2, [1]))
    assert.throws(() => lockDataDir(home, processes(3, [1])), /pid 2/)
    assert.deepEqual(readdirSync(home), ['up.lock'])
  })

  test('the lock from before a restart of this machine is taken over', () => {
    lockDataDir(home, processes(1, [], 'before/pid:[1]'))
    lockDataDir(home, processes(2))
  })

  test('of a process in another container nothing is known: people are told what to remove', () => {
    lockDataDir(home, processes(1, [], 'boot/pid:[2]'))
    assert.throws(
      () => lockDataDir(home, processes(2, [1])),
      /pid 1.*if it does not run any more, remove .*up\.lock/,
    )
  })

  test("a lock that is not ours to read is nobody's to take", () => {
    writeFileSync(join(home, 'up.lock'), 'hello')
    assert.throws(() => lockDataDir(home, processes(1)), /pid unknown.*remove/)
  })

  test("a lock that became another's is not given back", () => {
    const first = lockDataDir(home, processes(1))
    lockDataDir(home, processes(2, [1]))
    first.release()
    assert.deepEqual(readdirSync(home), ['up.lock'])
  })
})
