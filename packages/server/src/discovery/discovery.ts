import { createHash } from 'node:crypto'
import { groupDiscoveryList } from './aggregated.ts'
import type { DiscoverableApi, ServedVerbs } from './discoverable.ts'
import { type Group, groupsOf } from './groups.ts'
import { groupList, resourceList, singleGroup } from './legacy.ts'

export interface AggregatedDocument {
  readonly body: Uint8Array
  /** Upper-case hex of the SHA-512 of the document, in quotes. */
  readonly etag: string
}

/** What we say about ourselves. Documents are made when somebody asks for the first time, and kept as bytes. */
export interface Discovery {
  /** The document at `/apis` or below, or at `/api/v1`; undefined where there is none. */
  document(path: string): Uint8Array | undefined
  /** Everything below one of the two roots, in the given version of apidiscovery.k8s.io. */
  aggregated(root: 'api' | 'apis', versionName: string): AggregatedDocument
  hasGroup(group: string): boolean
  /** Every path that has a document. */
  paths(): readonly string[]
}

export function createDiscovery(api: DiscoverableApi, verbs: ServedVerbs): Discovery {
  let described: Description | undefined
  // Whoever changes what is served hands in another list; then everything said about it is made anew.
  const current = (): Description => {
    if (described?.resources !== api.resources) described = describe(api, verbs)
    return described
  }
  return {
    document: (path) => current().document(path),
    aggregated: (root, versionName) => current().aggregated(root, versionName),
    hasGroup: (group) => current().groups.some(({ name }) => name === group),
    paths: () => current().paths,
  }
}

interface Description {
  readonly resources: DiscoverableApi['resources']
  readonly groups: readonly Group[]
  readonly paths: readonly string[]
  readonly document: (path: string) => Uint8Array | undefined
  readonly aggregated: (root: 'api' | 'apis', versionName: string) => AggregatedDocument
}

function describe(api: DiscoverableApi, verbs: ServedVerbs): Description {
  const groups = groupsOf(api)
  const makers = new Map<string, () => unknown>([['/apis', () => groupList(groups)]])
  for (const group of groups) {
    const root = group.name === '' ? '/api' : `/apis/${group.name}`
    if (group.name !== '') makers.set(root, () => singleGroup(group))
    for (const version of group.versions) {
      makers.set(`${root}/${version.versionName}`, () => resourceList(version, verbs))
    }
  }
  const documents = new Map<string, Uint8Array>()
  const aggregates = new Map<string, AggregatedDocument>()
  return {
    resources: api.resources,
    groups,
    paths: ['/api', ...makers.keys()],
    document: (path) => remember(documents, path, () => bytesOf(makers.get(path)?.())),
    aggregated: (root, versionName) => {
      const made = remember(aggregates, `${root} ${versionName}`, () => {
        const mine = groups.filter(({ name }) => (name === '') === (root === 'api'))
        return withEtag(bytesOf(groupDiscoveryList(mine, versionName, verbs)) ?? new Uint8Array())
      })
      return made ?? withEtag(new Uint8Array())
    },
  }
}

function remember<T>(made: Map<string, T>, key: string, make: () => T | undefined): T | undefined {
  const found = made.get(key) ?? make()
  if (found !== undefined) made.set(key, found)
  return found
}

function bytesOf(document: unknown): Uint8Array | undefined {
  return document === undefined ? undefined : Buffer.from(`${JSON.stringify(document)}\n`)
}

function withEtag(body: Uint8Array): AggregatedDocument {
  return { body, etag: `"${createHash('sha512').update(body).digest('hex').toUpperCase()}"` }
}
