import {
  apiVersionOf,
  type CustomResourceDefinition,
  storageVersionHash,
  storageVersionNameOf,
  versionsOf,
} from '@strata/api'
import { type Client, isNotFound } from '@strata/client'

/** An API server that can be asked by itself. */
export interface NamedServer {
  readonly name: string
  readonly client: Client
}

/** What one API server shows of a CRD in discovery. */
export interface ServerSight {
  readonly name: string
  /** `silent`: it lists the resource and no hash, as very old servers do. */
  readonly sees: 'hash' | 'absent' | 'silent'
  readonly hash?: string
}

/** Asks each server by itself what it would store. Throws if one cannot be asked now: unknown is not agreed. */
export async function observeServers(
  definition: CustomResourceDefinition,
  servers: readonly NamedServer[],
  signal: AbortSignal,
): Promise<readonly ServerSight[]> {
  const served = versionsOf(definition).filter((each) => each.served)
  const version = served.find((each) => each.storage) ?? served[0]
  if (version === undefined) return []
  const { group, names } = definition.spec
  return Promise.all(
    servers.map(async ({ name, client }): Promise<ServerSight> => {
      const listed = await client
        .apiResources({ group, versionName: version.name }, signal)
        .catch((error: unknown) => {
          if (isNotFound(error)) return []
          throw error
        })
      const found = listed.find((each) => each.name === names.plural)
      if (found === undefined) return { name, sees: 'absent' }
      return found.storageVersionHash
        ? { name, sees: 'hash', hash: found.storageVersionHash }
        : { name, sees: 'silent' }
    }),
  )
}

/** Why a server may not know the CRD as it is; undefined if none is seen to be behind. */
export function whyBehind(
  definition: CustomResourceDefinition,
  servers: readonly ServerSight[],
): string | undefined {
  if (servers.length === 0) return undefined
  const { group, names } = definition.spec
  const hashOf = (version: string): string => storageVersionHash(apiVersionOf(group, version), names.kind)
  const storage = storageVersionNameOf(definition) ?? ''
  const wanted = hashOf(storage)
  const late = servers.find(({ sees, hash }) => sees === 'absent' || (sees === 'hash' && hash !== wanted))
  if (late === undefined) return undefined
  if (late.sees === 'absent') return `the API server ${late.name} does not serve it yet`
  const old = versionsOf(definition).find(({ name }) => hashOf(name) === late.hash)?.name
  const stores = old === undefined ? `what has the hash ${late.hash}` : old
  return `the API server ${late.name} still stores ${stores}: it does not know yet that the CRD stores ${storage}`
}

/** How many servers were seen to store what the CRD says. */
export const countShowing = (servers: readonly ServerSight[]): number =>
  servers.filter(({ sees }) => sees === 'hash').length
