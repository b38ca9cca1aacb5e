import type { PublishedCrd, PublishedVersion } from '../../support/published-crds.ts'

/** A CustomResourceDefinition to be installed, and where its instances are. */
export interface BenchDefinition {
  readonly group: string
  readonly kind: string
  readonly plural: string
  /** The storage version. */
  readonly apiVersion: string
  readonly body: Buffer
}

export interface DefinitionSource {
  readonly group: string
  readonly kind: string
  readonly plural: string
  readonly scope: PublishedCrd['spec']['scope']
  readonly versions: readonly PublishedVersion[]
}

/** A copy with its own names: without short names, which could be taken, and without a webhook, which does not run here. */
export function benchDefinition({ group, kind, plural, scope, versions }: DefinitionSource): BenchDefinition {
  const storedVersion = versions.find(({ storage }) => storage)?.name ?? ''
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope, versions, names: { kind, plural, singular: kind.toLowerCase() } },
  }
  return {
    group,
    kind,
    plural,
    apiVersion: `${group}/${storedVersion}`,
    body: Buffer.from(JSON.stringify(crd)),
  }
}

export const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

export const nameOf = ({ plural, group }: BenchDefinition): string => `${plural}.${group}`

/** The path that lists all instances. */
export const pathOf = ({ apiVersion, plural }: BenchDefinition): string => `/apis/${apiVersion}/${plural}`
