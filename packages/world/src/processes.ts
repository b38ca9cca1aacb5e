/**
 * Names one run of one process on one machine, so that another process on the same machine can prove
 * that it has ended (agreement.md, rule 1). The start time guards against a reused pid.
 */
export interface ProcessMark {
  readonly bootId: string
  readonly pid: number
  readonly startTicks: string
}

export interface Processes {
  readonly self: ProcessMark
  readonly hostname: string
  /** True only with proof: same boot, and no such process. "Cannot tell" is false. */
  isGone(mark: ProcessMark): boolean
}
