import type { FaultKind } from '../fault-kind.ts'
import { clockSkew } from './clock-skew.ts'
import { compaction } from './compaction.ts'
import { diskFull } from './disk-full.ts'
import { etcdKill } from './etcd-kill.ts'
import { expiredCertificate, expiredEtcdCertificate } from './expired-certificate.ts'
import { freeze } from './freeze.ts'
import { keyRotation } from './key-rotation.ts'
import { kill } from './kill.ts'
import { leaderChange } from './leader-change.ts'
import { migration } from './migration.ts'
import { isolatedNode, oneWay, partition } from './partition.ts'
import { restore, restoreUnderServers } from './restore.ts'
import { slowFsync } from './slow-fsync.ts'
import { upgrade } from './upgrade.ts'

/** Every kind of fault there is. */
export const faultKinds: readonly FaultKind[] = [
  kill,
  freeze,
  partition,
  oneWay,
  isolatedNode,
  leaderChange,
  etcdKill,
  compaction,
  restore,
  restoreUnderServers,
  diskFull,
  slowFsync,
  clockSkew,
  expiredCertificate,
  expiredEtcdCertificate,
  upgrade,
  migration,
  keyRotation,
]
