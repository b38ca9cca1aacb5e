import type { GroupResource } from '@strata/api'
import type { Verdict } from '../migration/evidence/decide-evidence.ts'
import type { DefinitionFacts } from '../stored/definition-facts.ts'

/** Everything that was seen of one resource. Versions are names such as `v1`; of another group, `extensions/v1beta1`. */
export interface ResourceFacts extends GroupResource {
  readonly kind: string
  readonly served: readonly ServedVersion[]
  /** The version that is written now, and what says so. */
  readonly storage?: { readonly version: string; readonly source: string }
  /** Only custom resources have one. */
  readonly definition?: DefinitionFacts
  readonly stored: StoredSight
  /** Versions that objects are stored in, and that status.storedVersions of the CRD lacks. */
  readonly unlisted?: readonly string[]
  /** What is known from agreement, a census, or a past migration of this tool. */
  readonly evidence?: { readonly verdict: Verdict; readonly because: string }
  /** What a list of the objects shows. */
  readonly objects?: ObjectSight
  readonly conversion?: readonly ConversionSight[]
  readonly helmReleases: readonly NamedBy[]
  readonly webhooks: readonly NamedBy[]
  readonly unseen: readonly Unseen[]
}

/** What says which version is written. */
export const storageSources = {
  record: 'agreement record',
  storageversion: 'StorageVersion object',
  definition: 'CRD',
  discovery: 'storage version hash in discovery',
  unpublished: 'not published',
  release: 'table of Kubernetes releases:',
} as const

export interface ServedVersion {
  readonly version: string
  readonly deprecated: boolean
}

export type StoredSight =
  | {
      readonly kind: 'counted'
      readonly by: 'etcd' | 'snapshot' | 'census'
      /** `etcd at …`, `snapshot …`, `census`. */
      readonly source: string
      readonly revision: string
      /** Whether nothing may be stored otherwise at that revision. */
      readonly isExact: boolean
      /** Why it is not known that these are the objects of the resource. */
      readonly doubt?: string
      /** Why later objects may be stored in other versions; undefined if the counts are as good as those of now. */
      readonly unseenSince?: string
      readonly total: number
      readonly bytes?: number
      readonly versions: readonly StoredCount[]
      /** Encrypted, and the keys were not given: in which version is unknown. */
      readonly hidden: readonly { readonly key: string; readonly count: number; readonly because?: string }[]
      readonly unreadable: number
    }
  | {
      readonly kind: 'possible'
      readonly versions: readonly string[]
      readonly because: string
      /** A past migration of this tool found nothing in other versions. */
      readonly isObservedClean?: true
    }

export interface StoredCount {
  readonly version: string
  readonly count: number
  /** The encryption key, if there is one. */
  readonly key?: string
  /** Some of them. */
  readonly objects: readonly string[]
}

export interface ObjectSight {
  readonly count: number
  /** Objects with managedFields in a version, by manager. */
  readonly managers: readonly ManagerCount[]
  /** Objects whose annotation of "kubectl apply" is in a version. */
  readonly lastApplied: readonly {
    readonly version: string
    readonly count: number
    readonly objects: readonly string[]
  }[]
}

export interface ManagerCount {
  readonly version: string
  readonly manager: string
  readonly count: number
  /** The newest time among them; '' if they name none. */
  readonly last: string
}

/** Whether objects can be read in a version. */
export interface ConversionSight {
  readonly version: string
  readonly result: 'answers' | 'fails' | 'no object to convert'
  readonly because?: string
}

/** Something outside of the objects that names a version. */
export interface NamedBy {
  readonly version: string
  readonly name: string
  /** A revision of a Helm release that only a rollback would apply: no blocker. */
  readonly isPast?: true
}

/** What could not be seen, and why. */
export interface Unseen {
  readonly what: UnseenKind
  readonly because: string
}

export type UnseenKind =
  | 'CRDs'
  | 'Helm releases'
  | 'admission webhooks'
  | 'cluster'
  | 'objects'
  | 'storage version'
  | "whether the store is this cluster's"
  | 'stored versions'

/** `v1` for the resource's own group. */
export function versionText(apiVersion: string, group: string): string {
  const prefix = group === '' ? '' : `${group}/`
  return apiVersion.startsWith(prefix) ? apiVersion.slice(prefix.length) : apiVersion
}
