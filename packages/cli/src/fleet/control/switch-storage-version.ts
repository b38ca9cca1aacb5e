import { ApiError, type CustomResourceDefinition, customResourceDefinitions } from '@strata/api'
import type { Client } from '@strata/client'

/**
 * Makes this version of a CRD the one that objects are stored in. What is stored already stays as it is. Returns the version
 * before.
 */
export async function switchStorageVersion(
  client: Client,
  { crd: name, version }: { readonly crd: string; readonly version: string },
  signal: AbortSignal,
): Promise<string> {
  const definitions = client.resource<CustomResourceDefinition>(customResourceDefinitions, 'v1')
  const crd = await definitions.get({ name }, signal)
  const versions = crd.spec.versions ?? []
  if (!versions.some((each) => each.name === version)) {
    const known = versions.map((each) => each.name).join(', ')
    throw new ApiError(404, 'NotFound', `${name} has no version ${JSON.stringify(version)}; it has ${known}`)
  }
  const { resourceVersion } = crd.metadata
  const switched = versions.map((each) => ({ ...each, storage: each.name === version }))
  await definitions.patch({ name }, { metadata: { resourceVersion }, spec: { versions: switched } }, signal)
  return versions.find(({ storage }) => storage)?.name ?? version
}

/** In words. */
export const describeSwitch = (crd: string, from: string, to: string): string =>
  from === to
    ? `${crd}: ${to} is the storage version already`
    : `${crd}: ${from} → ${to} from now on; what is stored in ${from} stays ${from} until it is migrated`
