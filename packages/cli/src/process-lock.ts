import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { Processes, ProcessMark } from '@strata/world'

export interface LockHolder extends ProcessMark {
  readonly hostname: string
}

export type LockOutcome =
  | { readonly kind: 'held'; release(): void }
  /** By a process that may live; without a word if it could not be read. */
  | { readonly kind: 'busy'; readonly holder: Partial<LockHolder> }
  /** Others come and go too quickly. */
  | { readonly kind: 'unsettled' }

/** A file that one process holds at a time. It outlives its holder, and is taken from one that is known to be gone. */
export function lockFile(lock: string, processes: Processes): LockOutcome {
  const mine = `${lock}.${processes.self.pid}`
  const text = JSON.stringify({ ...processes.self, hostname: processes.hostname } satisfies LockHolder)
  // Written under another name and linked into place, so that a lock is never seen without its holder.
  writeFileSync(mine, text, { mode: 0o600 })
  try {
    // Each round somebody else must have come or gone in between; more than a few are no chance any more.
    for (let round = 0; round < 10; round++) {
      if (tryLink(mine, lock)) return { kind: 'held', release: () => releaseOwn(lock, text) }
      const found = read(lock)
      if (found === undefined) continue
      if (!isAbandoned(found, processes)) return { kind: 'busy', holder: holderIn(found) }
      removeAbandoned(lock, found, mine)
    }
    return { kind: 'unsettled' }
  } finally {
    rmSync(mine, { force: true })
  }
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as { code?: string }).code === 'EEXIST') return false
    throw error
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function holderIn(text: string): Partial<LockHolder> {
  try {
    return JSON.parse(text) as Partial<LockHolder>
  } catch {
    return {}
  }
}

/** Only with proof: the process is gone, or this very machine has been started anew since. */
function isAbandoned(text: string, processes: Processes): boolean {
  const { bootId = '', pid = 0, startTicks = '', hostname } = holderIn(text)
  if (processes.isGone({ bootId, pid, startTicks })) return true
  const [theirs, ours] = [machineBoot(bootId), machineBoot(processes.self.bootId)]
  return hostname === processes.hostname && theirs !== '' && ours !== '' && theirs !== ours
}

/** Behind it stands the pid namespace: a container next door is another namespace of the same boot. */
const machineBoot = (bootId: string): string => bootId.split('/')[0] ?? ''

// Two may find the same holder gone. The rename lets one of them take the lock away; the other may by then
// hold the lock of a new owner, so it looks at what it took and puts a living one back.
function removeAbandoned(lock: string, judged: string, mine: string): void {
  const aside = `${mine}.abandoned`
  try {
    renameSync(lock, aside)
    if (read(aside) !== judged) tryLink(aside, lock)
  } catch {
    // Somebody else was faster.
  } finally {
    rmSync(aside, { force: true })
  }
}

/** What stands there may be another's by now, if somebody removed ours by hand. */
function releaseOwn(lock: string, text: string): void {
  if (read(lock) === text) rmSync(lock, { force: true })
}
