export interface ProcStat {
  /** Field 22: when the process started, in clock ticks since boot. */
  readonly startTicks: string
  /** A zombie or a corpse: it runs no more, though its parent has not yet asked for its exit code. */
  readonly isDead: boolean
}

const STATE_FIELD = 3
const START_FIELD = 22

/**
 * Reads `/proc/<pid>/stat`. The second field is the name in parentheses, chosen by the process and free
 * to hold spaces and parentheses, so the fields are counted from the last closing one.
 */
export function parseProcStat(text: string): ProcStat | undefined {
  const end = text.lastIndexOf(')')
  if (end < 0) return undefined
  const fields = text
    .slice(end + 1)
    .trim()
    .split(/\s+/)
  const state = fields[0]
  const startTicks = fields[START_FIELD - STATE_FIELD]
  if (state === undefined || startTicks === undefined || !/^\d+$/.test(startTicks)) return undefined
  return { startTicks, isDead: /^[ZXx]$/.test(state) }
}
