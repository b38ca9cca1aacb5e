import type { History } from '../history.ts'

/** Whether a server was there all that time, not about to leave, not frozen, not cut off, and in no storm. */
export function couldWork(
  { runs, disturbances }: History,
  process: string,
  fromMs: number,
  toMs: number,
): boolean {
  const run = runs.find((each) => each.process === process)
  const endMs = run?.leavingMs ?? run?.endedMs ?? Number.POSITIVE_INFINITY
  if (!run || endMs < toMs) return false
  return !disturbances.some(
    (each) => (each.writer === '*' || each.writer === run.writer) && each.fromMs < toMs && each.toMs > fromMs,
  )
}
