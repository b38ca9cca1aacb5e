import {
  type CustomResourceDefinition,
  type CustomResourceDefinitionVersion,
  storageVersionNameOf,
  versionsOf,
} from '@strata/api'
import type { CrdDocument } from '../documents/index.ts'
import { compareSchemas, type SchemaChange, schemaOfVersion } from '../schema/index.ts'
import type { FoundChange } from './foretold-crd.ts'
import type { Release } from './release.ts'

/**
 * The changes of schemas that stored objects may suffer from: in each version that an older release has too, and, where only the
 * apiVersion changes when the storage version moves, from the old one to the new one.
 */
export function foundChanges(older: readonly Release[], document: CrdDocument): readonly FoundChange[] {
  const found = new Map<string, FoundChange>()
  for (const { name: release, crds } of older) {
    const before = crds.get(document.name)
    if (!before) continue
    for (const each of changesBetween(before.crd, document)) {
      const { version, ...change } = each
      const key = JSON.stringify([each.path, each.kind, each.message])
      const { versions = [], since = [], at = each.at } = found.get(key) ?? {}
      found.set(key, { ...change, at, versions: union(versions, version), since: union(since, release) })
    }
  }
  return [...found.values()]
}

const union = (names: readonly string[], name: string): string[] => [...new Set([...names, name])]

interface Change extends SchemaChange {
  readonly version: string
}

function changesBetween(before: CustomResourceDefinition, document: CrdDocument): Change[] {
  const { crd } = document
  const keptAll = keepsAll(before) && !keepsAll(crd)
  const same = versionsOf(crd).flatMap((now) => {
    const was = versionsOf(before).find(({ name }) => name === now.name)
    return was ? [...(keptAll ? [pruningBegins(now.name)] : []), ...changesOf(was, now, document)] : []
  })
  return [...same, ...movedStorage(before, document)]
}

const keepsAll = ({ spec }: CustomResourceDefinition): boolean => spec.preserveUnknownFields === true

function pruningBegins(version: string): Change {
  return {
    ...{ version, path: '<root>', kind: 'preserve-unknown-fields-removed', effect: 'pruned' },
    message: 'spec.preserveUnknownFields was true: fields outside the schema were kept, and are pruned now',
    at: ['spec', 'preserveUnknownFields'],
  }
}

function movedStorage(before: CustomResourceDefinition, document: CrdDocument): Change[] {
  const { crd } = document
  if (crd.spec.conversion?.strategy === 'Webhook') return []
  const was = versionsOf(before).find(({ name }) => name === storageVersionNameOf(before))
  const now = versionsOf(crd).find(({ name }) => name === storageVersionNameOf(crd))
  if (!was || !now || was.name === now.name) return []
  return changesOf(was, now, document)
}

function changesOf(
  was: CustomResourceDefinitionVersion,
  now: CustomResourceDefinitionVersion,
  { crd }: CrdDocument,
): Change[] {
  const index = versionsOf(crd).findIndex(({ name }) => name === now.name)
  const version = was.name === now.name ? now.name : `${was.name} → ${now.name}`
  return compareSchemas(schemaOfVersion(was), schemaOfVersion(now)).map(({ at, ...change }) => {
    const place = ['spec', 'versions', index, 'schema', 'openAPIV3Schema', ...at]
    return { ...change, version, at: place }
  })
}
