import type { GroupResource, ResourceDefinition } from '@strata/api'
import type { Key } from '../store/index.ts'
import { resourcePrefix, storageRoot } from './storage-key.ts'

/** A resource whose keys are known. */
export interface PlacedResource extends GroupResource {
  /** The prefix of its keys; ends in `/`. */
  readonly prefix: Key
  /** A bootstrap kind: one version for ever, written unfenced (docs/design/agreement.md, rule 0), so nothing is recorded. */
  readonly bootstrap: boolean
}

export function placedResource(definition: ResourceDefinition): PlacedResource {
  const { group, resource } = definition
  return { group, resource, prefix: resourcePrefix(definition), bootstrap: definition.bootstrap === true }
}

/** Keys below one of our groups that hold no resources. */
const ownPrefixes: readonly Key[] = ['ticks', 'names', 'writers'].map(
  (each) => `${storageRoot}strata.dev/${each}/`,
)

/** Finds the resource of a key. No CRD is needed: keys of custom resources name group and resource. */
export class ResourcePlaces {
  readonly #byPrefix = new Map<Key, PlacedResource>()

  constructor(known: readonly PlacedResource[]) {
    for (const each of known) this.add(each)
  }

  /** The first resource with a prefix keeps it. */
  add(resource: PlacedResource): void {
    if (!this.#byPrefix.has(resource.prefix)) this.#byPrefix.set(resource.prefix, resource)
  }

  /** `/registry/configmaps/…` or `/registry/<group>/<resource>/…`; undefined if the key belongs to no resource. */
  find(key: Key): PlacedResource | undefined {
    if (!key.startsWith(storageRoot)) return undefined
    const first = key.indexOf('/', storageRoot.length)
    if (first < 0) return undefined
    const short = this.#byPrefix.get(key.slice(0, first + 1))
    if (short) return short
    const second = key.indexOf('/', first + 1)
    if (second < 0) return undefined
    const prefix = key.slice(0, second + 1)
    const known = this.#byPrefix.get(prefix)
    if (known) return known
    const group = key.slice(storageRoot.length, first)
    // The group of a custom resource contains a dot, unlike any other first part of a key; our own prefixes are excluded.
    if (!group.includes('.') || ownPrefixes.includes(prefix)) return undefined
    const found = { group, resource: key.slice(first + 1, second), prefix, bootstrap: false }
    this.#byPrefix.set(prefix, found)
    return found
  }
}
