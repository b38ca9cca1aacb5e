import type { UpgradeVerdict } from '@strata/api'

/** Nothing but 0 says that the target can read everything. A number means the same in all commands about what is stored. */
export const checkExits = {
  safe: 0,
  unsafe: 1,
  /** Mistyped; nothing was asked. */
  usage: 2,
  /** No answer, or no rights. */
  notSeen: 5,
  /** The cluster has answered, and it cannot be told from that. */
  couldNotSee: 6,
} as const

export const exitOfVerdict: Readonly<Record<UpgradeVerdict, number>> = {
  Safe: checkExits.safe,
  Unsafe: checkExits.unsafe,
  CouldNotSee: checkExits.couldNotSee,
}
