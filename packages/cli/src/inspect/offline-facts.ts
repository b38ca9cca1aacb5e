import { type GroupResource, groupResourceText } from '@strata/api'
import type { DefinitionFacts } from '../stored/definition-facts.ts'
import type { StoreSight } from '../stored/observe-store.ts'
import type { StoredResource } from '../stored/store-tally.ts'
import { decideStored, whyNotKnown } from './decide-stored.ts'
import { decideUnlisted } from './decide-unlisted.ts'
import { isSame } from './observe-facts.ts'
import type { ResourceFacts, Unseen } from './resource-facts.ts'

/** What the store alone tells: no cluster was asked. */
export function offlineFacts(store: StoreSight, because: string): readonly ResourceFacts[] {
  const { resources, definitions } = store
  const empty = definitions.filter((each) => !resources.some((other) => isSame(other, each)))
  const all: readonly GroupResource[] = [...resources, ...empty]
  return all
    .map((resource) => factsOf(resource, store, because))
    .toSorted((a, b) => (groupResourceText(a) < groupResourceText(b) ? -1 : 1))
}

function factsOf({ group, resource }: GroupResource, store: StoreSight, because: string): ResourceFacts {
  const named = { group, resource }
  const definition = store.definitions.find((each) => isSame(each, named))
  const stored = store.resources.find((each) => isSame(each, named))
  const written = definition?.versions.find((each) => each.storage)
  const found = decideStored({ group, reading: store.reading, found: stored && { stored }, possible: [] })
  const unknown = whyNotKnown(found)
  const unlisted = decideUnlisted(found, definition)
  const unseen: Unseen[] = [
    { what: 'cluster', because },
    ...(unknown === undefined ? [] : [{ what: 'stored versions', because: unknown } as const]),
  ]
  return {
    ...named,
    kind: definition?.kind ?? kindIn(stored),
    served: servedBy(definition),
    stored: found,
    ...(written ? { storage: { version: written.name, source: 'CRD in the store' } } : {}),
    ...(definition ? { definition } : {}),
    ...(unlisted.length > 0 ? { unlisted } : {}),
    ...{ helmReleases: [], webhooks: [], unseen },
  }
}

const kindIn = (stored: StoredResource | undefined): string =>
  stored?.parts.find(({ kind }) => kind !== undefined)?.kind ?? ''

const servedBy = (definition: DefinitionFacts | undefined): ResourceFacts['served'] =>
  (definition?.versions ?? [])
    .filter(({ served }) => served)
    .map(({ name, deprecated }) => ({ version: name, deprecated }))
