import { type ResourceDefinition, secrets, serviceAccounts } from '@strata/api'
import type { World } from '@strata/world'
import type { Codec } from '../codec/index.ts'
import type { WatchCache } from '../watch-cache/index.ts'
import { type BoundObjectLookup, boundObjectLookup } from './bound-objects.ts'
import { ownTokens } from './own-tokens.ts'
import { type ServiceAccountTokenOptions, ServiceAccountTokens } from './service-account-tokens.ts'

/** Tokens of the stored service accounts, as the watch cache shows them. */
export function createAccountTokens(
  options: ServiceAccountTokenOptions | undefined,
  {
    world,
    cache,
    codecs,
  }: { readonly world: World; readonly cache: WatchCache; readonly codecs: readonly Codec[] },
): ServiceAccountTokens {
  const lookup = ({ storagePrefix }: Pick<ResourceDefinition, 'storagePrefix'>): BoundObjectLookup => {
    const codec = codecs.find(({ definition }) => definition.storagePrefix === storagePrefix)
    return codec ? boundObjectLookup(cache, codec) : () => undefined
  }
  return new ServiceAccountTokens(options ?? ownTokens(), {
    world,
    accounts: lookup(serviceAccounts),
    secrets: lookup(secrets),
    catchUp: (signal) => cache.barrier.pass(signal),
  })
}
