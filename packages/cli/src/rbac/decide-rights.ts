import { aggregatedRights, commandRights, type Own } from './command-rights.ts'
import { decideQuestion, type RightsQuestion } from './decide-question.ts'
import { type GrantedRight, withoutCovered } from './granted-right.ts'

/** The rights of all these commands on all these resources. */
export function decideRights(
  { commands, resources }: RightsQuestion,
  isAggregated = false,
): readonly GrantedRight[] {
  const targets: readonly Own[] = resources.length === 0 ? ['all'] : resources
  return withoutCovered(
    commands.flatMap((command) =>
      targets.flatMap((own) => [
        ...(commandRights[command]?.(own) ?? []),
        ...(isAggregated ? aggregatedRights(command, own) : []),
      ]),
    ),
  )
}

/** What strata rbac prints for these arguments. */
export function printedRights(words: readonly string[]): readonly GrantedRight[] {
  const question = decideQuestion(words, false)
  if (typeof question === 'string') throw new TypeError(question)
  return decideRights(question)
}
