import type { UpgradeVerdict } from '@strata/api'
import { exitCodes } from '../output/exit-codes.ts'

/** The exit codes of all commands about stored objects. Only 0 means that the target can read everything. */
export const checkExits = {
  safe: exitCodes.proven,
  unsafe: exitCodes.incomplete,
  usage: exitCodes.usage,
  /** No answer, no rights, or no such resource. */
  notSeen: exitCodes.notSeen,
  /** The cluster answered, and no verdict follows from it. */
  couldNotSee: exitCodes.unknown,
  /** The same because a release of Kubernetes, that of the cluster or the target, is not in the table. */
  unknownRelease: exitCodes.unknownRelease,
} as const

export const exitOfVerdict: Readonly<Record<UpgradeVerdict, number>> = {
  Safe: checkExits.safe,
  Unsafe: checkExits.unsafe,
  CouldNotSee: checkExits.couldNotSee,
}
