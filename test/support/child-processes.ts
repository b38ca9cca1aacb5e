import { readdirSync, readFileSync } from 'node:fs'

const attempt = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch {
    // It ended while we looked.
    return undefined
  }
}

/** The living children of a process, whatever group they are in. */
export function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name))
  return pids.filter((pid) => parentOf(pid) === parent).map(Number)
}

function parentOf(pid: string): number | undefined {
  const text = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  // Behind the command, which may itself contain spaces and brackets: the state, then the parent.
  return text === undefined ? undefined : Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1])
}

/** Whether the process still runs that was started with `argument`: its number may be another's by now. */
export function isRunningWith(pid: number, argument: string): boolean {
  return attempt(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))?.includes(argument) ?? false
}
