import type { Verb } from '@strata/api'
import { storageVersionHash } from './storage-version-hash.ts'

/** What discovery needs to know of a resource; the registry's resources are such. */
export interface DiscoverableResource {
  readonly definition: {
    readonly group: string
    readonly kind: string
    readonly plural: string
    readonly singular: string
    readonly scope: 'Namespaced' | 'Cluster'
    readonly shortNames?: readonly string[]
    readonly categories?: readonly string[]
  }
  readonly versionName: string
  readonly apiVersion: string
  readonly codec: { readonly preferredVersion: string }
}

export interface DiscoverableApi {
  readonly resources: readonly DiscoverableResource[]
}

// biome-ignore lint/suspicious/noExplicitAny: a function that takes any narrower resource fits here.
export type ServedVerbs = (resource: any) => readonly Verb[]

/** The legacy discovery document at a path, or undefined where there is none. */
export function discoveryDocument(api: DiscoverableApi, verbs: ServedVerbs, path: string): unknown {
  const [, root = '', group, versionName, ...rest] = path.replace(/\/$/, '').split('/')
  if (rest.length > 0) return undefined
  if (root === 'api') {
    if (group === undefined) return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] }
    return versionName === undefined ? resourceList(api, verbs, '', group) : undefined
  }
  if (root !== 'apis') return undefined
  if (group === undefined) {
    const groups = groupNames(api).map((each) => groupOf(api, each))
    return { kind: 'APIGroupList', apiVersion: 'v1', groups }
  }
  if (!groupNames(api).includes(group)) return undefined
  if (versionName !== undefined) return resourceList(api, verbs, group, versionName)
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(api, group) }
}

function groupNames({ resources }: DiscoverableApi): string[] {
  return [...new Set(resources.map(({ definition }) => definition.group))].filter((group) => group !== '')
}

function groupOf({ resources }: DiscoverableApi, group: string) {
  const mine = resources.filter(({ definition }) => definition.group === group)
  const names = [...new Set(mine.map(({ versionName }) => versionName))]
  const versions = names.map((version) => ({ groupVersion: `${group}/${version}`, version }))
  return { name: group, versions, preferredVersion: versions[0] }
}

function resourceList(api: DiscoverableApi, verbs: ServedVerbs, group: string, versionName: string): unknown {
  const mine = api.resources.filter(
    (each) => each.definition.group === group && each.versionName === versionName,
  )
  const [first] = mine
  if (!first) return undefined
  return {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: first.apiVersion,
    resources: mine.map((resource) => resourceOf(resource, verbs(resource))),
  }
}

function resourceOf({ definition, codec }: DiscoverableResource, verbs: readonly Verb[]) {
  const { plural, singular, scope, kind, shortNames, categories, group } = definition
  return {
    name: plural,
    singularName: singular,
    namespaced: scope === 'Namespaced',
    kind,
    verbs,
    ...(shortNames ? { shortNames } : {}),
    ...(categories ? { categories } : {}),
    storageVersionHash: storageVersionHash(group, codec.preferredVersion, kind),
  }
}
