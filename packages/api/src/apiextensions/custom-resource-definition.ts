import type { WebhookClientConfig } from '../machinery/webhook-client-config.ts'
import type { ApiObject } from '../meta/object.ts'
import type { JsonSchemaProps } from './json-schema-props.ts'

export const apiextensionsGroup = 'apiextensions.k8s.io'

/** Keeps a CRD that is being deleted until all of its custom resources are gone. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io'

/** Required on a CRD in a group that belongs to the Kubernetes community. */
export const approvedAnnotation = 'api-approved.kubernetes.io'

/** How instances are called, in paths and by people. */
export interface CustomResourceDefinitionNames {
  readonly plural: string
  readonly singular?: string
  readonly shortNames?: readonly string[]
  readonly kind: string
  readonly listKind?: string
  readonly categories?: readonly string[]
}

export type DefinitionConditionType =
  | 'NamesAccepted'
  | 'Established'
  | 'NonStructuralSchema'
  | 'Terminating'
  | 'KubernetesAPIApprovalPolicyConformant'
  | 'StorageMigrating'

export interface CustomResourceDefinitionCondition {
  readonly type: DefinitionConditionType
  readonly status: 'True' | 'False' | 'Unknown'
  readonly lastTransitionTime?: string | null
  readonly reason?: string
  readonly message?: string
  readonly observedGeneration?: number
}

export interface CustomResourceConversion {
  readonly strategy: string
  readonly webhook?: {
    readonly clientConfig?: Readonly<WebhookClientConfig>
    readonly conversionReviewVersions?: readonly string[] | null
  }
}

export interface CustomResourceColumnDefinition {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  readonly priority?: number
  readonly jsonPath: string
}

export interface CustomResourceSubresources {
  readonly status?: Readonly<Record<string, never>>
  readonly scale?: {
    readonly specReplicasPath: string
    readonly statusReplicasPath: string
    readonly labelSelectorPath?: string
  }
}

export interface SelectableField {
  readonly jsonPath: string
}

/** One version in which instances are served or stored. */
export interface CustomResourceDefinitionVersion {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
  readonly deprecated?: boolean
  readonly deprecationWarning?: string
  readonly schema?: { readonly openAPIV3Schema?: JsonSchemaProps }
  readonly subresources?: CustomResourceSubresources
  readonly additionalPrinterColumns?: readonly CustomResourceColumnDefinition[]
  readonly selectableFields?: readonly SelectableField[]
}

export interface CustomResourceDefinitionSpec {
  readonly group: string
  readonly names: CustomResourceDefinitionNames
  readonly scope: string
  readonly versions: readonly CustomResourceDefinitionVersion[] | null
  readonly conversion?: CustomResourceConversion
  readonly preserveUnknownFields?: boolean
}

export interface CustomResourceDefinitionStatus {
  readonly conditions: readonly CustomResourceDefinitionCondition[] | null
  readonly acceptedNames: CustomResourceDefinitionNames
  readonly storedVersions: readonly string[] | null
  readonly observedGeneration?: number
}

/** Defines a custom resource: its names, versions and schemas. */
export interface CustomResourceDefinition extends ApiObject {
  spec: CustomResourceDefinitionSpec
  status: CustomResourceDefinitionStatus
}

export function versionsOf({ spec }: CustomResourceDefinition): readonly CustomResourceDefinitionVersion[] {
  return spec.versions ?? []
}

/** The version in which instances are stored; undefined in a definition that is not valid. */
export function storageVersionNameOf(definition: CustomResourceDefinition): string | undefined {
  return versionsOf(definition).find(({ storage }) => storage)?.name
}

/**
 * Why storedVersions may lack a version in which objects are stored; undefined if nothing says so. Upstream also prunes it after
 * a failed migration, and the next attempt hides the failure (docs/reference/upstream-behaviour.md, Q1): only a successful
 * migration is a reason to believe a short list.
 */
export function storedVersionsDoubt({ status }: CustomResourceDefinition): string | undefined {
  const migrating = status?.conditions?.find(({ type }) => type === 'StorageMigrating')
  if (migrating === undefined || migrating.reason === 'MigrationSucceeded') return undefined
  // It takes the place of the condition of an earlier migration, which may have failed and cut storedVersions all the same.
  if (migrating.reason === 'MigrationRunning') {
    return 'a storage migration is running (StorageMigrating): what storedVersions says counts once it has succeeded'
  }
  return `storedVersions may have been pruned too early (StorageMigrating: ${migrating.reason ?? migrating.status})`
}

/** With the storage version among those in which there may be stored instances. */
export function withStorageVersion(definition: CustomResourceDefinition): CustomResourceDefinitionStatus {
  const { status } = definition
  const stored = status.storedVersions ?? []
  const storage = storageVersionNameOf(definition)
  if (storage === undefined || stored.includes(storage)) return status
  return { ...status, storedVersions: [...stored, storage] }
}
