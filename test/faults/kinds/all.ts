import type { FaultKind } from '../fault-kind.ts'
import { compaction } from './compaction.ts'
import { freeze } from './freeze.ts'
import { kill } from './kill.ts'
import { leaderChange } from './leader-change.ts'
import { isolatedNode, oneWay, partition } from './partition.ts'
import { restore, restoreUnderServers } from './restore.ts'

/** Every kind of fault there is. */
export const faultKinds: readonly FaultKind[] = [
  kill,
  freeze,
  partition,
  oneWay,
  isolatedNode,
  leaderChange,
  compaction,
  restore,
  restoreUnderServers,
]
