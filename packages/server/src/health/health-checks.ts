import type { HealthCheck } from '../handlers/index.ts'
import type { StoreHealth } from './store-health.ts'
import type { WriteHealth } from './write-health.ts'

const everywhere = ['livez', 'readyz', 'healthz'] as const

type Check = () => string | undefined

export interface Registration {
  readonly recordsWrites: boolean
  readonly pending: readonly string[]
  readonly refusing: readonly string[]
}

/** Checks with upstream's names, which monitoring looks for, for every kind of store. */
export function healthChecks(
  storeHealth: StoreHealth,
  writes: Pick<WriteHealth, 'problem'>,
  coordinator: Registration,
  named: Readonly<Record<string, Check>>,
): HealthCheck[] {
  const alive: HealthCheck = { name: 'ping', endpoints: everywhere, check: () => undefined }
  const logs: HealthCheck = { ...alive, name: 'log' }
  const storeAnswers = { check: () => storeHealth.problem, refresh: () => storeHealth.refresh() }
  const store: HealthCheck = { name: 'etcd', endpoints: everywhere, ...storeAnswers }
  const storeReady: HealthCheck = { name: 'etcd-readiness', endpoints: ['readyz'], ...storeAnswers }
  // Informational: all servers share the store and its disk. If all were unready, no server would serve the reads that still
  // work.
  const storeWrites: HealthCheck = {
    name: 'store-writes',
    endpoints: everywhere,
    isInformational: true,
    check: () => writes.problem,
  }
  // Alive also while a hook cannot end because the server may not write one of its kinds yet.
  const unlessRefused = (check: Check) => (): string | undefined =>
    coordinator.refusing.length > 0 ? undefined : check()
  const others = Object.entries(named).flatMap(([name, check]): HealthCheck[] => {
    const ready: HealthCheck = { name, endpoints: ['readyz'], check }
    if (!name.startsWith('poststarthook/')) return [ready]
    return [ready, { name, endpoints: ['livez', 'healthz'], check: unlessRefused(check) }]
  })
  return [alive, logs, store, storeReady, storeWrites, ...registration(coordinator), ...others]
}

/**
 * A server that waits for other servers is not ready, but alive: a restart would not help. A server that does not record
 * its storage versions has no upstream hook; it waits until the records show the gap.
 */
function registration(coordinator: Registration): HealthCheck[] {
  const name = coordinator.recordsWrites
    ? 'poststarthook/built-in-resources-storage-version-updater'
    : 'poststarthook/recording-gaps'
  const registered = (): string | undefined =>
    coordinator.pending.length === 0 ? undefined : `waiting for ${coordinator.pending.join(', ')}`
  const writing = (): string | undefined =>
    coordinator.refusing.length === 0 ? undefined : coordinator.refusing.join('; ')
  return [
    { name, endpoints: ['livez', 'healthz'], check: registered },
    { name, endpoints: ['readyz'], check: () => registered() ?? writing() },
  ]
}
