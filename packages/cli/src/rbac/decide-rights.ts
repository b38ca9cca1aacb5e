import {
  aggregatedRights,
  commandRights,
  deletionRights,
  inTreeCommandRights,
  type Own,
} from './command-rights.ts'
import { decideQuestion, type RightsQuestion } from './decide-question.ts'
import { type GrantedRight, withoutCovered } from './granted-right.ts'

/** Rights beside those of the commands as such. */
export interface MoreRights {
  /** Aggregated Strata servers store the resources. */
  readonly aggregated?: boolean
  /** Upstream's migrator runs the migrations of `migrate`. */
  readonly inTree?: boolean
  /** `repair` deletes what no server can decode. */
  readonly deleteUndecodable?: boolean
}

/** The rights of all these commands on all these resources. */
export function decideRights(
  { commands, resources }: RightsQuestion,
  { aggregated = false, inTree = false, deleteUndecodable = false }: MoreRights = {},
): readonly GrantedRight[] {
  const targets: readonly Own[] = resources.length === 0 ? ['all'] : resources
  return withoutCovered(
    commands.flatMap((command) =>
      targets.flatMap((own) => [
        ...(commandRights[command]?.(own) ?? []),
        ...(aggregated ? aggregatedRights(command, own) : []),
        ...(inTree && command === 'migrate' ? inTreeCommandRights(own) : []),
        ...(deleteUndecodable && command === 'repair' ? deletionRights(own) : []),
      ]),
    ),
  )
}

/** What strata rbac prints for these arguments. */
export function printedRights(words: readonly string[], more: MoreRights = {}): readonly GrantedRight[] {
  const question = decideQuestion(words, false)
  if (typeof question === 'string') throw new TypeError(question)
  return decideRights(question, more)
}
