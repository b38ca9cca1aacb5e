import {
  type CustomResourceDefinition,
  type JsonSchemaProps,
  type ResourceDefinition,
  resourceAtRelease,
  storageVersionNameOf,
} from '@strata/api'
import type { Subject } from './rehearsal-path.ts'

/** A kind whose objects are followed along the path. */
export interface RehearsedKind {
  /** `beacons.lighthouse.example.dev` */
  readonly name: string
  readonly group: string
  readonly plural: string
  readonly kind: string
  readonly namespaced: boolean
  /** Of its keys in the store. */
  readonly prefix: string
  /** Of a program's kind: what a release has of it; undefined if the release does not know it. */
  at(release: string): KindVersions | undefined
}

/** What one server knows of a kind. */
export interface KindVersions {
  readonly served: readonly string[]
  /** What it prefers to store. */
  readonly storage: string
  /**
   * How objects get from version to version. `names`: only the apiVersion changes, so that a field has the same name in every
   * version. `unknown`: by a webhook that is not there.
   */
  readonly conversion: 'function' | 'names' | 'unknown'
  schemaOf(version: string): JsonSchemaProps
  /** Clients that create an object cannot set its status. */
  hasStatusApart(version: string): boolean
}

export function kindsOf(subject: Subject): readonly RehearsedKind[] {
  if (subject.kind === 'resources') return subject.resources.map(kindOfResource)
  const byName = new Map<string, CustomResourceDefinition>()
  for (const crds of subject.releases.values()) {
    for (const crd of crds) byName.set(crd.metadata.name ?? '', crd)
  }
  return [...byName.values()].map(kindOfCrd)
}

function kindOfResource(definition: ResourceDefinition): RehearsedKind {
  const { group, plural, kind, scope, storagePrefix, versions } = definition
  return {
    ...{ name: `${plural}.${group}`, group, plural, kind, namespaced: scope === 'Namespaced' },
    prefix: `/registry/${storagePrefix}/`,
    at: (release) => {
      const found = resourceAtRelease(definition, release)
      return (
        found && {
          ...{ served: found.served, storage: found.preferredStorage, conversion: 'function' },
          schemaOf: (version) => (versions[version]?.schema ?? {}) as JsonSchemaProps,
          hasStatusApart: () => true,
        }
      )
    },
  }
}

function kindOfCrd({ spec, metadata }: CustomResourceDefinition): RehearsedKind {
  const { group, names, scope } = spec
  return {
    ...{ name: metadata.name ?? '', group, plural: names.plural, kind: names.kind },
    namespaced: scope === 'Namespaced',
    prefix: `/registry/${group}/${names.plural}/`,
    at: () => undefined,
  }
}

/** The versions of a CRD that a server has. */
export function versionsOfCrd(
  crd: CustomResourceDefinition,
  conversions: Readonly<Record<string, unknown>>,
): KindVersions {
  const { conversion } = crd.spec
  const versions = crd.spec.versions ?? []
  const isKnown = Object.hasOwn(conversions, crd.metadata.name ?? '')
  const isByWebhook = conversion?.strategy === 'Webhook' && versions.length > 1
  return {
    served: versions.filter(({ served }) => served).map(({ name }) => name),
    storage: storageVersionNameOf(crd) ?? '',
    conversion: isKnown ? 'function' : isByWebhook ? 'unknown' : 'names',
    schemaOf: (version) => versions.find(({ name }) => name === version)?.schema?.openAPIV3Schema ?? {},
    hasStatusApart: (version) =>
      versions.find(({ name }) => name === version)?.subresources?.status !== undefined,
  }
}

/** The version that clients use: what is stored, if it is served. */
export const clientVersion = ({ served, storage }: KindVersions): string | undefined =>
  served.includes(storage) ? storage : served[0]

export function collectionPath(
  { group, plural, namespaced }: RehearsedKind,
  version: string,
  namespace: string,
): string {
  const root = `/apis/${group}/${version}`
  return namespaced ? `${root}/namespaces/${namespace}/${plural}` : `${root}/${plural}`
}
