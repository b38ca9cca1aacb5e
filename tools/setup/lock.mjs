import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { progress } from './command.mjs'
import { SetupProblem } from './problem.mjs'

const POLL_MS = 200
const PATIENCE_MS = 10 * 60_000

/**
 * Runs `work` while holding the lock directory, so that set-ups in two terminals take turns.
 * A lock whose owner is gone (killed, power cut) is taken over.
 */
export async function withLock(lock, work) {
  await acquire(lock)
  try {
    return await work()
  } finally {
    release(lock)
  }
}

// Moved away first, as a whole. Were it emptied in place, another could rename its own onto the empty directory
// before that is removed, and would lose its owner file, or the lock, to us.
function release(lock) {
  const mine = `${lock}.released.${process.pid}`
  try {
    renameSync(lock, mine)
  } catch {
    // Somebody has it aside to see whose it is. It comes back, and is abandoned once we have ended.
  }
  rmSync(mine, { recursive: true, force: true })
}

async function acquire(lock) {
  mkdirSync(dirname(lock), { recursive: true })
  const deadline = Date.now() + PATIENCE_MS
  for (let told = false; ; ) {
    if (tryAcquire(lock)) return
    const owner = ownerOf(lock)
    if (owner !== undefined && !isAlive(owner)) {
      removeAbandoned(lock, owner)
      continue
    }
    if (!told) progress(`waiting for another set-up${owner === undefined ? '' : ` (process ${owner})`}`)
    told = true
    if (Date.now() > deadline)
      throw new SetupProblem(`gave up waiting; if no other set-up runs, remove ${lock}`)
    await sleep(POLL_MS)
  }
}

// A directory made under another name and renamed into place appears together with its owner file. Were
// it made first and filled later, a process killed in between would leave a lock that belongs to nobody.
function tryAcquire(lock) {
  const mine = `${lock}.${process.pid}`
  mkdirSync(mine, { recursive: true })
  writeFileSync(join(mine, 'pid'), String(process.pid))
  try {
    renameSync(mine, lock)
    return true
  } catch {
    rmSync(mine, { recursive: true, force: true })
    return false
  }
}

function ownerOf(lock) {
  try {
    return Number(readFileSync(join(lock, 'pid'), 'utf8'))
  } catch {
    return undefined
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

// Two waiters may both find the owner dead. The rename lets one of them move the lock away; the other may
// by then be moving a new owner's lock, so it looks at what it took and puts a living one back.
function removeAbandoned(lock, owner) {
  const aside = `${lock}.abandoned.${process.pid}`
  try {
    renameSync(lock, aside)
    if (ownerOf(aside) !== owner) renameSync(aside, lock)
  } catch {
    // Someone else was faster.
  }
  rmSync(aside, { recursive: true, force: true })
}
