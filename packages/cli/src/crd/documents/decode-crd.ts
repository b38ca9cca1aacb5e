import {
  applyDefaults,
  type CustomResourceDefinition,
  cloneJson,
  customResourceDefinitions,
  dropEmpty,
  goDecodeProblem,
  prune,
  type Schema,
} from '@strata/api'

export interface DecodedCrd {
  readonly crd: CustomResourceDefinition
  readonly unknownFields: readonly string[]
}

/** A manifest that no API server would decode as a CRD. */
export interface UndecodableCrd {
  readonly problem: string
}

/** Decodes a manifest as an API server does: unknown fields are dropped, the rest is defaulted and converted to v1. */
export function decodeCrd(
  manifest: Readonly<Record<string, unknown>>,
  versionName: 'v1' | 'v1beta1',
): DecodedCrd | UndecodableCrd {
  const version = customResourceDefinitions.versions[versionName]
  if (!version) return { problem: `CustomResourceDefinition has no version ${versionName}` }
  const schema: Schema = version.schema
  const object = cloneJson(manifest)
  const problem = goDecodeProblem(object, schema, customResourceDefinitions.kind)
  if (problem !== undefined) return { problem }
  const unknownFields: string[] = []
  const pruned = prune(object, schema, (path) => unknownFields.push(path))
  const decoded = dropEmpty(pruned, schema) as CustomResourceDefinition
  decoded.metadata ??= {}
  applyDefaults(decoded, schema)
  version.applyDefaults?.(decoded)
  const crd = { ...version.toHub(decoded), apiVersion: 'apiextensions.k8s.io/v1' } as CustomResourceDefinition
  return { crd, unknownFields }
}
