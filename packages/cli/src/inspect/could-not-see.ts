import { groupResourceText } from '@strata/api'
import { shownNames } from '@strata/insight'
import type { Inspection } from './inspect-cluster.ts'

/** What could not be seen, once per reason, with the resources that it is about. */
export function couldNotSee({ facts, notSeen, reading }: Inspection): readonly string[] {
  const all = [
    ...facts.flatMap((each) =>
      each.unseen.map(({ what, because }) => ({
        resource: groupResourceText(each),
        text: `${what}: ${because}`,
      })),
    ),
    ...notSeen.map(({ resource, because }) => ({ resource, text: `anything: ${because}` })),
  ]
  const grouped = [...Map.groupBy(all, ({ text }) => text)].map(
    ([text, alike]) => `${text} (${shownNames([...new Set(alike.map(({ resource }) => resource))])})`,
  )
  return reading?.doubt === undefined ? grouped : [`exact counts: ${reading.doubt}`, ...grouped]
}
