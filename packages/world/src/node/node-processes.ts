import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Processes, ProcessMark } from '../processes.ts'
import { parseProcStat } from './proc-stat.ts'

function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/**
 * Where a pid means something: one boot of one machine, and one pid namespace of it. Two containers of
 * one machine share the boot id but not their pids; without the namespace, a server could "prove" that
 * a living server in the next container is gone. Empty where we cannot know, and then nothing is proof.
 */
function observeBootId(): string {
  return (
    attempt(() => {
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
      const namespace = readlinkSync('/proc/self/ns/pid')
      return `${boot}/${namespace}`
    }) ?? ''
  )
}

const observeStat = (pid: number) => attempt(() => parseProcStat(readFileSync(`/proc/${pid}/stat`, 'utf8')))

/** Asks the kernel rather than /proc, which may be mounted so that it hides other users' processes. */
function doesNotExist(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}

/** A dead main thread is not yet a dead process: others may still be inside a system call that writes. */
function hasOtherThreads(pid: number): boolean {
  const threads = attempt(() => readdirSync(`/proc/${pid}/task`))
  return threads === undefined || threads.length > 1
}

export function createNodeProcesses(): Processes {
  const bootId = observeBootId()
  const startTicks = observeStat(process.pid)?.startTicks ?? ''
  const canTell = bootId !== '' && startTicks !== ''

  const isGone = (mark: ProcessMark): boolean => {
    if (!canTell || mark.bootId !== bootId || mark.startTicks === '') return false
    // A pid of 0 or below would name a group of processes.
    if (!Number.isSafeInteger(mark.pid) || mark.pid <= 0) return false
    if (doesNotExist(mark.pid)) return true
    const stat = observeStat(mark.pid)
    if (!stat) return doesNotExist(mark.pid)
    if (stat.startTicks !== mark.startTicks) return true
    return stat.isDead && !hasOtherThreads(mark.pid)
  }

  return { self: { bootId, pid: process.pid, startTicks }, hostname: hostname(), isGone }
}
