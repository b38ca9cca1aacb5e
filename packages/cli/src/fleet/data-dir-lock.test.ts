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

  test('a second fleet is refused in one line that says whom to stop', () => {
    const lock = lockDataDir(home, processes(1))
    assert.throws(() => lockDataDir(home, processes(2)), {
      name: 'CliError',
      message: 'a fleet already runs here (pid 1): stop it (kill 1), or give another --data-dir',
    })
    lock.release()
  })

  test('a released lock is free, and names no holder any more', () => {
    const first = lockDataDir(home, processes(1))
    first.release()
    assert.deepEqual(readdirSync(home), ['up.lock'])
    const second = lockDataDir(home, processes(2))
    first.release()
    assert.throws(() => lockDataDir(home, processes(3)), /pid 2\)/)
    second.release()
  })

  test('the lock of a killed process is not reported to the next one', () => {
    writeFileSync(join(home, 'up.lock.holder'), JSON.stringify({ ...processes(9).self, hostname: 'h' }))
    const lock = lockDataDir(home, processes(1))
    writeFileSync(join(home, 'up.lock.holder'), JSON.stringify({ ...processes(9).self, hostname: 'h' }))
    assert.throws(() => lockDataDir(home, processes(2, [9])), /pid unknown\): stop it, or/)
    lock.release()
  })

  test('of a process in another container the number is not one to kill here', () => {
    const lock = lockDataDir(home, processes(1, [], 'boot/pid:[2]'))
    assert.throws(
      () => lockDataDir(home, processes(2, [1])),
      /\(pid 1, in another container or on another machine: h\): stop it, or give/,
    )
    lock.release()
  })

  test('a file that is no lock is left alone', () => {
    writeFileSync(join(home, 'up.lock'), 'hello')
    assert.throws(() => lockDataDir(home, processes(1)), /not a lock of this program: .*remove it/)
  })
})
