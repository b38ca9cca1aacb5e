import { apiVersionOf } from '@strata/api'
import type { ResourceAddress } from './address.ts'
import { type ConnectionOptions, requestJson } from './connection.ts'
import { isNotFound } from './errors.ts'
import { readDocument } from './go-nulls.ts'

/** One resource in one of its versions, as discovery lists it. */
export interface DiscoveredResource extends ResourceAddress {
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  /** A name that kubectl takes in place of the plural. */
  readonly singular?: string
  readonly shortNames?: readonly string[]
  /** The group and version of its objects, if they are not those of the path. */
  readonly objects?: { readonly group: string; readonly versionName: string }
}

export interface Discovery {
  /** Groups and versions in the server's order of preference. */
  readonly resources: readonly DiscoveredResource[]
  /** Group versions that could not be discovered. Check them before acting on an absence: unknown is not absent. */
  readonly failures: readonly { readonly groupVersion: string; readonly why: string }[]
}

interface GroupDiscovery {
  readonly metadata?: { readonly name?: string }
  readonly versions?: readonly {
    readonly version: string
    readonly freshness?: string
    readonly resources?: readonly {
      readonly resource: string
      readonly responseKind?: ObjectKind
      readonly scope: string
      readonly verbs?: readonly string[]
      readonly singularResource?: string
      readonly shortNames?: readonly string[]
    }[]
  }[]
}

/** The kind of the objects. Group and version are empty or missing if they are those of the path. */
interface ObjectKind {
  readonly group?: string
  readonly version?: string
  readonly kind: string
}

/** A resource or subresource of one group version. */
export interface ApiResource extends ObjectKind {
  /** The plural; `things/status` for a subresource. */
  readonly name: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly singularName?: string
  readonly shortNames?: readonly string[]
  /** The hash of the storage version of this server. Some servers do not send it. */
  readonly storageVersionHash?: string
}

interface ResourceList {
  readonly resources?: readonly (Omit<ApiResource, 'verbs'> & Partial<Pick<ApiResource, 'verbs'>>)[]
}

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json'

/** Discovers all resources: two requests with aggregated discovery, otherwise one request per group version. */
export async function discover(connection: ConnectionOptions, signal: AbortSignal): Promise<Discovery> {
  const found = await Promise.all(['/api', '/apis'].map((path) => discoverRoot(connection, path, signal)))
  return {
    resources: found.flatMap(({ resources }) => resources),
    failures: found.flatMap(({ failures }) => failures),
  }
}

/**
 * Discovers one group by its own documents: they are small, and come from the servers of the group, not from the cache of an
 * aggregator. Empty if the group is not served.
 */
export async function discoverGroup(
  connection: ConnectionOptions,
  group: string,
  signal: AbortSignal,
): Promise<Discovery> {
  try {
    const path = `/apis/${encodeURIComponent(group)}`
    const found: LegacyGroup = await requestJson(connection, { method: 'GET', path }, signal)
    const groups = [{ ...readDocument(found), name: group }]
    return await discoverLegacy(connection, '/apis', { groups }, signal)
  } catch (error) {
    if (isNotFound(error)) return { resources: [], failures: [] }
    throw error
  }
}

/** The document of one group version. Aggregated discovery does not contain storage version hashes. */
export async function apiResources(
  connection: ConnectionOptions,
  { group, versionName }: Pick<ResourceAddress, 'group' | 'versionName'>,
  signal: AbortSignal,
): Promise<readonly ApiResource[]> {
  const path = `${group === '' ? '/api' : '/apis'}/${apiVersionOf(group, versionName)}`
  return requestResources(connection, path, signal)
}

async function requestResources(
  connection: ConnectionOptions,
  path: string,
  signal: AbortSignal,
): Promise<readonly ApiResource[]> {
  const list: ResourceList = await requestJson(connection, { method: 'GET', path }, signal)
  const { resources = [] } = readDocument(list)
  return resources.map((each) => ({ ...each, verbs: each.verbs ?? [] }))
}

/** Each resource once, in the version that the server prefers. */
export function preferredResources(resources: readonly DiscoveredResource[]): readonly DiscoveredResource[] {
  const seen = new Map<string, DiscoveredResource>()
  for (const each of resources) {
    const key = `${each.group}/${each.resource}`
    if (!seen.has(key)) seen.set(key, each)
  }
  return [...seen.values()]
}

async function discoverRoot(
  connection: ConnectionOptions,
  path: string,
  signal: AbortSignal,
): Promise<Discovery> {
  const answer: { kind?: string; items?: readonly GroupDiscovery[] } & LegacyRoot = await requestJson(
    connection,
    { method: 'GET', path, accept: aggregated },
    signal,
  )
  const root = readDocument(answer)
  if (root.kind === 'APIGroupDiscoveryList') return fromAggregated(root.items ?? [])
  return discoverLegacy(connection, path, root, signal)
}

function fromAggregated(groups: readonly GroupDiscovery[]): Discovery {
  const resources: DiscoveredResource[] = []
  const failures: Discovery['failures'][number][] = []
  for (const { metadata, versions = [] } of groups) {
    const group = metadata?.name ?? ''
    for (const { version: versionName, freshness, resources: listed = [] } of versions) {
      if (freshness === 'Stale') {
        failures.push({ groupVersion: apiVersionOf(group, versionName), why: 'stale GroupVersion discovery' })
      }
      for (const each of listed) {
        const { resource, responseKind, scope, verbs = [] } = each
        const kind = responseKind?.kind ?? ''
        const names = namesOf(each.singularResource, each.shortNames)
        resources.push({
          ...{ group, versionName, resource, kind, namespaced: scope === 'Namespaced', verbs },
          ...{ ...names, ...objectsOf({ group, versionName }, responseKind) },
        })
      }
    }
  }
  return { resources, failures }
}

interface LegacyRoot {
  /** In /api. */
  readonly versions?: readonly string[]
  /** In /apis. */
  readonly groups?: readonly LegacyGroup[]
}

interface LegacyGroup {
  readonly name: string
  readonly versions?: readonly { readonly version: string }[]
  readonly preferredVersion?: { readonly version: string }
}

async function discoverLegacy(
  connection: ConnectionOptions,
  path: string,
  { versions = [], groups = [] }: LegacyRoot,
  signal: AbortSignal,
): Promise<Discovery> {
  const served = [
    ...versions.map((versionName) => ({ group: '', versionName })),
    ...groups.flatMap(({ name: group, versions: all = [], preferredVersion }) =>
      all
        .map(({ version }) => version)
        .sort((a, b) => Number(b === preferredVersion?.version) - Number(a === preferredVersion?.version))
        .map((versionName) => ({ group, versionName })),
    ),
  ]
  const resources: DiscoveredResource[] = []
  const failures: Discovery['failures'][number][] = []
  for (const { group, versionName } of served) {
    const groupVersion = apiVersionOf(group, versionName)
    try {
      const listed = await requestResources(connection, `${path}/${groupVersion}`, signal)
      for (const each of listed) {
        const { name, kind, namespaced, verbs, singularName, shortNames } = each
        if (name.includes('/')) continue
        resources.push({
          ...{ group, versionName, resource: name, kind, namespaced, verbs },
          ...{ ...namesOf(singularName, shortNames), ...objectsOf({ group, versionName }, each) },
        })
      }
    } catch (error) {
      if (signal.aborted) throw error
      failures.push({ groupVersion, why: error instanceof Error ? error.message : String(error) })
    }
  }
  return { resources, failures }
}

function namesOf(
  singular: string | undefined,
  shortNames: readonly string[] | undefined,
): Pick<DiscoveredResource, 'singular' | 'shortNames'> {
  return {
    ...(singular ? { singular } : {}),
    ...(shortNames && shortNames.length > 0 ? { shortNames } : {}),
  }
}

function objectsOf(
  { group, versionName }: Pick<ResourceAddress, 'group' | 'versionName'>,
  kind: ObjectKind | undefined,
): Pick<DiscoveredResource, 'objects'> {
  // The core group has no name. Where a version is given, so is the group.
  const { version = '', group: named = '' } = kind ?? {}
  if (version === '' || (named === group && version === versionName)) return {}
  return { objects: { group: named, versionName: version } }
}
