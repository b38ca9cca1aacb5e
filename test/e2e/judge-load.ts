import { finalBeacons, type History } from '../support/raw-history.ts'
import type { WriteOutcome } from '../support/write-load.ts'

/**
 * Compares confirmed outcomes with every change of the store. An acknowledged write is there at
 * the revision that its answer named; a refused one is nowhere; and the changes of one object follow one
 * another as its writer sent them, so the last is the last acknowledged or one that was sent later and
 * whose answer was lost. What other loads have written is not judged.
 */
export function judgeLoad(
  { outcomes, sent }: { readonly outcomes: readonly WriteOutcome[]; readonly sent: readonly string[] },
  history: History,
): string[] {
  const problems: string[] = []
  const byRevision = new Map(history.puts.map((put) => [`${put.name}@${put.revision}`, put]))
  const colours = new Map(history.puts.map((put) => [put.colour, put]))
  for (const each of outcomes) {
    if (each.kind === 'stored') {
      const put = byRevision.get(`${each.name}@${each.revision}`)
      if (put?.colour !== each.colour) {
        problems.push(`lost: ${each.colour} of ${each.name}, acknowledged at ${each.revision}`)
      }
    } else if (each.kind === 'refused') {
      const put = colours.get(each.colour)
      if (put) problems.push(`stored at ${put.revision} though refused (${each.answer}): ${each.colour}`)
    } else if (!isDeletedNext(each, history)) {
      problems.push(`not deleted: ${each.name} at ${each.after}, though acknowledged`)
    }
  }
  const order = new Map(sent.map((colour, index) => [colour, index]))
  const last = new Map<string, number>()
  for (const { name, colour = '', revision } of history.puts) {
    const place = order.get(colour)
    if (place === undefined) continue
    if (place < (last.get(name) ?? -1)) problems.push(`${name} went back to ${colour} at ${revision}`)
    last.set(name, place)
  }
  return problems
}

/** The first change of the object behind the revision that was to be deleted is the deletion. */
function isDeletedNext({ name, after }: { name: string; after: number }, history: History): boolean {
  const next = (changes: readonly { name: string; revision: number }[]): number =>
    changes.find((each) => each.name === name && each.revision > after)?.revision ?? Number.POSITIVE_INFINITY
  const deleted = next(history.deletes)
  return Number.isFinite(deleted) && deleted < next(history.puts)
}

/** Names and values that a server should list now. */
export const expectedList = (history: History): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries([...finalBeacons(history).values()].map(({ name, colour }) => [name, colour]))
