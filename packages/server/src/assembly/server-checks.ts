import type { HealthCheck } from '../handlers/index.ts'
import { encryptionChecks, healthChecks, StoreHealth } from '../health/index.ts'
import type { Agreement } from './create-agreement.ts'
import type { Resources } from './create-resources.ts'
import type { Storage } from './create-storage.ts'
import type { ServerSettings } from './server-settings.ts'

/** How far the start has come, and whether the server stops. The life cycle changes it, health checks show it. */
export interface Progress {
  hasNamespaces: boolean
  hasPolicy: boolean
  hasApiServices: boolean
  isStopping: boolean
}

export function createChecks(
  { world, encryption, encryptionNews, aggregated }: ServerSettings,
  { store, cache, writes }: Storage,
  { coordinator, undecodable }: Agreement,
  { agreed, delegation }: Resources,
  progress: Progress,
): readonly HealthCheck[] {
  const checks = healthChecks(new StoreHealth(store, world.clock), writes, coordinator, {
    'poststarthook/start-system-namespaces-controller': () =>
      progress.hasNamespaces ? undefined : 'system namespaces are missing',
    ...(aggregated
      ? { 'delegated-authentication': () => delegation?.trust.problem }
      : {
          'poststarthook/rbac/bootstrap-roles': () =>
            progress.hasPolicy ? undefined : 'default roles are missing',
          'autoregister-completion': () => (progress.hasApiServices ? undefined : 'APIServices are missing'),
        }),
    'storage-decodable': () => undecodable.problem,
    'informer-sync': () => (cache.synced ? undefined : 'the watch cache has not been filled'),
    shutdown: () => (progress.isStopping ? 'the server is shutting down' : undefined),
  })
  // Does not make the server unready: every server withholds the same, so another server would not help the client.
  const agreedServing: HealthCheck[] = agreed
    ? [{ name: 'agreed-serving', endpoints: ['readyz'], isInformational: true, check: () => agreed.problem }]
    : []
  return [...checks, ...agreedServing, ...encryptionChecks(encryption, encryptionNews)]
}
