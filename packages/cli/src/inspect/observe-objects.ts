import type { ApiObject } from '@strata/api'
import type { Client, DiscoveredResource } from '@strata/client'
import type { Look } from '../migration/resources/each-resource.ts'
import { listPages } from '../migration/resources/list-pages.ts'
import { type ManagerCount, type ObjectSight, versionText } from './resource-facts.ts'

const pageSize = 500
const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration'
const objectsKept = 3

/** Lists the metadata of all objects, page by page, and keeps counts. `look` sends each request, again while that may help. */
export async function observeObjects(
  client: Client,
  resource: DiscoveredResource,
  look: Look,
  onCount: (count: number) => void = () => {},
): Promise<ObjectSight> {
  const objects = client.metadata(resource)
  const tally = new ObjectTally(resource.group)
  // If the list expires, the rest is read as it is then: a count, not a proof.
  for await (const page of listPages((each) => look((signal) => objects.listPage(each, signal)), pageSize)) {
    for (const each of page) tally.add(each)
    onCount(tally.count)
  }
  return tally.sight()
}

interface ManagedFieldsEntry {
  readonly apiVersion?: string
  readonly manager?: string
  readonly time?: string | null
}

export class ObjectTally {
  readonly #group: string
  readonly #managers = new Map<string, { -readonly [Field in keyof ManagerCount]: ManagerCount[Field] }>()
  readonly #applied = new Map<string, { version: string; count: number; objects: string[] }>()
  count = 0

  constructor(group: string) {
    this.#group = group
  }

  add({ metadata }: ApiObject): void {
    this.count++
    /** An object counts once for a manager, also if it applied the object and updated its status. */
    const counted = new Set<string>()
    const entries = (metadata.managedFields ?? []) as readonly ManagedFieldsEntry[]
    for (const { apiVersion = '', manager = '', time } of entries) {
      const version = versionText(apiVersion, this.#group)
      const alike = `${version} ${manager}`
      const found = this.#managers.get(alike) ?? { version, manager, count: 0, last: time ?? '' }
      this.#managers.set(alike, found)
      if (!counted.has(alike)) found.count++
      counted.add(alike)
      if (time && found.last < time) found.last = time
    }
    this.#addApplied(metadata)
  }

  #addApplied({ annotations, namespace, name = '' }: ApiObject['metadata']): void {
    const applied = annotations?.[lastAppliedAnnotation]
    const apiVersion = applied && appliedVersion(applied)
    if (!apiVersion) return
    const version = versionText(apiVersion, this.#group)
    const found = this.#applied.get(version) ?? { version, count: 0, objects: [] }
    this.#applied.set(version, found)
    found.count++
    if (found.objects.length < objectsKept) found.objects.push(namespace ? `${namespace}/${name}` : name)
  }

  sight(): ObjectSight {
    const managers = [...this.#managers.values()].toSorted((a, b) => b.count - a.count)
    return { count: this.count, managers, lastApplied: [...this.#applied.values()] }
  }
}

/** kubectl sorts the fields, so the apiVersion is the first one. */
function appliedVersion(applied: string): string | undefined {
  const [, first] = /^\{"apiVersion":"([^"\\]*)"/.exec(applied) ?? []
  if (first !== undefined) return first
  try {
    const { apiVersion } = (JSON.parse(applied) ?? {}) as { apiVersion?: unknown }
    return typeof apiVersion === 'string' ? apiVersion : undefined
  } catch {
    return undefined
  }
}
