import type { Violation } from '../checkers/index.ts'
import type { SentCommit } from './sent-commits.ts'

/**
 * What an adapter says of a commit is true: what it calls written is in the store, at that revision and once; what it calls
 * refused or not written is not there, and never comes. What is there was on top of what its guards say.
 */
export function* trueOutcomes(sent: readonly SentCommit[]): Iterable<Violation> {
  for (const each of sent) {
    const text = problemOf(each)
    if (text === undefined) continue
    const keys = each.commit.writes.map(({ kind, key }) => `${kind} ${key}`).join(', ')
    yield { checker: 'true-outcomes', atMs: each.sentMs, text: `${keys} by ${each.writer}: ${text}` }
  }
}

function problemOf({ commit, told, found, broken }: SentCommit): string | undefined {
  const [first, second] = found
  if (broken.length > 0)
    return `is in the store at ${first}, although its guard of ${broken.join(', ')} did not hold`
  if (second !== undefined) return `one commit is in the store at ${first} and again at ${second}`
  switch (told?.how) {
    case undefined:
    case 'unknown':
      return undefined
    case 'failed':
    case 'refused':
      return first === undefined
        ? undefined
        : `called ${told.how} (${told.text}), and is in the store at ${first}`
    case 'committed': {
      // Deletes of what was not there change nothing.
      const changesNothing = first === undefined && commit.writes.every(({ kind }) => kind === 'delete')
      if (changesNothing || (first !== undefined && told.revisions.includes(first))) return undefined
      return `called written at ${told.revisions.join(', ')}, and is in the store at ${first ?? 'no revision'}`
    }
  }
}
