import { identityNamespace, isServerLease, leases } from '@strata/api'
import { type ControllerPart, informerSource, type Term } from '../engine/index.ts'
import { createIdentityLeaseCollector } from './identity-lease-collector.ts'

const hourMs = 3_600_000

export function identityLeaseCollector({
  world,
  client,
  informers,
  log,
  options,
}: Term & { readonly options: { readonly defaultLeaseDurationMs?: number } }): ControllerPart {
  const informer = informers.of(leases, 'v1', { namespace: identityNamespace })
  return {
    sources: [informerSource(informer, ({ key, object }) => (isServerLease(object) ? [key] : []))],
    reconciler: createIdentityLeaseCollector({
      leases: client.resource(leases, 'v1'),
      known: informer.store,
      clock: world.clock,
      log,
      defaultDurationMs: options.defaultLeaseDurationMs ?? hourMs,
    }),
  }
}
