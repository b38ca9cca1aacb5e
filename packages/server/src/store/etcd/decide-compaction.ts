import type { Revision } from '../store.ts'

/** The memory of one compactor between its turns. */
export interface CompactionMemory {
  /** How often the shared key had been written when we last saw it: the fleet's logical clock. */
  readonly logicalTime: number
  /** The newest revision at our last turn. 0 before the first. */
  readonly revision: Revision
}

/** The result of the compare-and-swap of the shared key, expected at our logical time. */
export interface CompactionTurn {
  readonly won: boolean
  /** How often the key has been written now; valid only if the swap was lost. */
  readonly logicalTime: number
  /** The newest revision now. */
  readonly revision: Revision
}

export interface CompactionDecision {
  /** `undefined`: nothing to compact this time. */
  readonly compactTo: Revision | undefined
  readonly next: CompactionMemory
}

/**
 * kube-apiserver's protocol, so that both may share an etcd. A compactor that finds the clock unchanged has seen a whole interval
 * pass, and may compact to the revision at its beginning. One that finds the clock moved knows that another compacted, and starts
 * its interval anew.
 */
export function decideCompaction(memory: CompactionMemory, turn: CompactionTurn): CompactionDecision {
  const logicalTime = turn.won ? memory.logicalTime + 1 : turn.logicalTime
  const next = { logicalTime, revision: turn.revision }
  // On its first turn a compactor knows no revision that is an interval old.
  const compactTo = turn.won && memory.revision > 0 ? memory.revision : undefined
  return { compactTo, next }
}
