import type { Revision } from '../store.ts'

/** What one compactor remembers between its turns. */
export interface CompactionMemory {
  /** How often the shared key had been written when we last saw it: the fleet's logical clock. */
  readonly logicalTime: number
  /** The newest revision at our last turn. 0 before the first. */
  readonly revision: Revision
}

/** What became of the compare-and-swap of the shared key, expected at our logical time. */
export interface CompactionTurn {
  readonly won: boolean
  /** How often the key has been written now; of meaning only if the swap was lost. */
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
 * kube-apiserver's protocol, so that the two may share an etcd. Whoever finds the clock where it left it has seen
 * a whole interval go by, and may forget what was old at its beginning. Whoever finds it moved knows that another
 * did, and starts its interval anew.
 */
export function decideCompaction(memory: CompactionMemory, turn: CompactionTurn): CompactionDecision {
  const logicalTime = turn.won ? memory.logicalTime + 1 : turn.logicalTime
  const next = { logicalTime, revision: turn.revision }
  // On its first turn a compactor knows no revision that is an interval old.
  const compactTo = turn.won && memory.revision > 0 ? memory.revision : undefined
  return { compactTo, next }
}
