import { checkLinearizable } from './checkers/linearizable.ts'
import { describeOperation, type Operation } from './checkers/operation.ts'
import type { HeardObject, Watcher } from './checkers/watched.ts'
import { checkWatches } from './checkers/watches.ts'

export interface RoundHistory {
  readonly operations: readonly Operation[]
  readonly unexpected: readonly string[]
  readonly watchers: readonly Watcher[]
  /** The lists of all servers after the last write; undefined if the round did not get that far. */
  readonly final: ReadonlyMap<string, HeardObject> | undefined
}

export interface RoundVerdict {
  readonly problems: readonly string[]
  /** Keys for which the search was given up: neither right nor wrong is known. */
  readonly undecided: readonly string[]
}

/** Everything that can be said of a round once it is over. */
export function checkRound({ operations, unexpected, watchers, final }: RoundHistory): RoundVerdict {
  const problems = [...unexpected]
  const undecided: string[] = []
  for (const [key, own] of Map.groupBy(operations, (operation) => operation.key)) {
    const verdict = checkLinearizable(own)
    if (verdict.is === 'undecided') undecided.push(key)
    if (verdict.is === 'violated') problems.push(explain(key, own, verdict))
  }
  problems.push(...checkWatches({ watchers, operations, final }))
  return { problems, undecided }
}

function explain(
  key: string,
  own: readonly Operation[],
  { explained, stuck }: { readonly explained: readonly Operation[]; readonly stuck: Operation | undefined },
): string {
  const last = explained.slice(-4)
  const beside = own.filter(
    (each) =>
      stuck &&
      !explained.includes(each) &&
      each !== stuck &&
      each.invokedMs <= stuck.returnedMs &&
      each.returnedMs >= stuck.invokedMs,
  )
  return [
    `${key} is not linearizable: no order explains ${stuck ? describeOperation(stuck) : 'the history'}`,
    ...last.map((each) => `    after ${describeOperation(each)}`),
    ...beside.slice(0, 8).map((each) => `    beside ${describeOperation(each)}`),
  ].join('\n')
}
