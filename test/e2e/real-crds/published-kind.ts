import type { JsonSchemaProps } from '@strata/api'
import type { PublishedCrd, PublishedVersion } from '../../support/published-crds.ts'

/** A kind in one of its versions. */
export interface PublishedKind {
  readonly crd: PublishedCrd
  readonly spec: PublishedVersion
  readonly schema: JsonSchemaProps
  readonly apiVersion: string
  /** The path of all objects, or of those in the namespace that tests use. */
  readonly path: string
}

export function kindIn(crd: PublishedCrd, spec: PublishedVersion): PublishedKind {
  const { group, names, scope } = crd.spec
  const apiVersion = `${group}/${spec.name}`
  const place = scope === 'Namespaced' ? 'namespaces/default/' : ''
  const schema = (spec.schema?.openAPIV3Schema ?? {}) as JsonSchemaProps
  return { crd, spec, schema, apiVersion, path: `/apis/${apiVersion}/${place}${names.plural}` }
}

export const servedVersions = ({ spec }: PublishedCrd): PublishedVersion[] =>
  spec.versions.filter(({ served }) => served)

export function storageVersion({ spec }: PublishedCrd): PublishedVersion {
  const found = spec.versions.find(({ storage }) => storage)
  if (!found) throw new Error('a definition has a storage version')
  return found
}

export const hasWebhook = ({ spec }: PublishedCrd): boolean => spec.conversion?.strategy === 'Webhook'

/** Whether a write in this version needs a conversion webhook, which does not run here. */
export const isOutOfReach = ({ crd, spec }: PublishedKind): boolean => hasWebhook(crd) && !spec.storage

export const crdPath = (name: string): string =>
  `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`

/** Upstream's words for a conversion webhook that cannot be reached. */
export const noWebhook = /^conversion webhook for .* failed: /
