import { jsonEqual } from '@strata/api'
import type { Json } from '../components.ts'
import { kindsWord, type ReferenceRoot } from './read-parts.ts'
import { type RemoteSwagger, renameParts } from './read-swagger.ts'

/**
 * What the documents of other servers add to the document of this one. As upstream, definitions that are equal are shared, and
 * one that differs from another of its name gets the suffix `_v2`, or the next that is free. The first document keeps its
 * names, and this server's come before all. A definition of this server is part of the result if it gets more kinds.
 */
export function mergeSwagger(
  /** The definition of this server by that name. */
  ownDefinition: (name: string) => Json | undefined,
  /** In the order of their priorities. They describe different paths. */
  documents: readonly RemoteSwagger[],
): RemoteSwagger {
  const paths: [string, unknown][] = []
  const added = { definitions: new Map<string, Json>(), parameters: new Map<string, Json>() }
  const existing: Existing = (root, name) =>
    added[root].get(name) ?? (root === 'definitions' ? ownDefinition(name) : undefined)
  for (const document of documents) {
    const renames = {
      definitions: decideNames('definitions', document.definitions, existing),
      parameters: decideNames('parameters', document.parameters, existing),
    }
    const hasRenames = renames.definitions.size + renames.parameters.size > 0
    const renamed = hasRenames
      ? renameParts(document, (root, name) => renames[root].get(name) ?? name)
      : document
    paths.push(...Object.entries(renamed.paths))
    for (const root of ['definitions', 'parameters'] as const) {
      for (const [name, value] of Object.entries(renamed[root])) {
        const before = existing(root, name)
        const now = before ? withKinds(before, value as Json) : (value as Json)
        if (now !== before) added[root].set(name, now)
      }
    }
  }
  return {
    paths: Object.fromEntries(paths),
    definitions: Object.fromEntries(added.definitions),
    parameters: Object.fromEntries(added.parameters),
  }
}

type Existing = (root: ReferenceRoot, name: string) => Json | undefined

/** The new names of those that must not keep theirs. */
function decideNames(root: ReferenceRoot, given: Json, existing: Existing): ReadonlyMap<string, string> {
  const renames = new Map<string, string>()
  const chosen = new Set<string>()
  const isFree = (name: string): boolean => !Object.hasOwn(given, name) && !chosen.has(name)
  for (const [name, value] of Object.entries(given).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const known = existing(root, name)
    if (!known || isSame(known, value as Json)) continue
    for (let suffix = 2; !renames.has(name); suffix++) {
      const next = `${name}_v${suffix}`
      const other = existing(root, next)
      if (other ? isSame(other, value as Json) : isFree(next)) renames.set(name, next)
    }
    chosen.add(renames.get(name) ?? '')
  }
  return renames
}

function isSame(one: Json, other: Json): boolean {
  const { [kindsWord]: _, ...first } = one
  const { [kindsWord]: __, ...second } = other
  return jsonEqual(first, second)
}

const kindsOf = (schema: Json): readonly Json[] => (schema[kindsWord] ?? []) as readonly Json[]
const keyOf = ({ group, version, kind }: Json): string => `${group}/${version}.${kind}`

/** The schema with the kinds of both; itself if there are no others. */
function withKinds(schema: Json, other: Json): Json {
  const known = new Set(kindsOf(schema).map(keyOf))
  const fresh = kindsOf(other).filter((each) => !known.has(keyOf(each)))
  if (fresh.length === 0) return schema
  const all = [...kindsOf(schema), ...fresh].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  return { ...schema, [kindsWord]: all }
}
