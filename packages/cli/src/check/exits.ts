import type { UpgradeVerdict } from '@strata/api'
import { exitCodes } from '../output/exit-codes.ts'

/** In the numbers of all commands about stored objects. Nothing but 0 says that the target can read everything. */
export const checkExits = {
  safe: exitCodes.proven,
  unsafe: exitCodes.incomplete,
  usage: exitCodes.usage,
  /** No answer, or no rights. */
  notSeen: exitCodes.notSeen,
  /** The cluster has answered, and it cannot be told from that. */
  couldNotSee: exitCodes.unknown,
} as const

export const exitOfVerdict: Readonly<Record<UpgradeVerdict, number>> = {
  Safe: checkExits.safe,
  Unsafe: checkExits.unsafe,
  CouldNotSee: checkExits.couldNotSee,
}
