import { groupResourceText } from '@strata/api'
import { shownNames } from '@strata/insight'
import { lostVersionOf, wayBack } from '../migration/evidence/lost-version.ts'
import type { Inspection } from './inspect-cluster.ts'
import type { ResourceFacts } from './resource-facts.ts'

/** A list that fails because of the version of stored objects fails each time. */
function nextOf(because: string, resource: ResourceFacts): string {
  const lost = lostVersionOf(because)
  return lost === undefined ? '' : `; ${wayBack(lost, resource)}`
}

/** What could not be seen, once per reason, with the resources that it is about. */
export function couldNotSee({ facts, notSeen, reading }: Inspection): readonly string[] {
  const all = [
    ...facts.flatMap((each) =>
      each.unseen.map(({ what, because }) => ({
        resource: groupResourceText(each),
        text: `${what}: ${because}${nextOf(because, each)}`,
      })),
    ),
    ...notSeen.map(({ resource, because }) => ({ resource, text: `anything: ${because}` })),
  ]
  const grouped = [...Map.groupBy(all, ({ text }) => text)].map(
    ([text, alike]) => `${text} (${shownNames([...new Set(alike.map(({ resource }) => resource))])})`,
  )
  return reading?.doubt === undefined ? grouped : [`exact counts: ${reading.doubt}`, ...grouped]
}
