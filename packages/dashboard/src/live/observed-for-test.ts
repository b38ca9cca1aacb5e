import type { Lease, StorageAgreement } from '@strata/api'
import { entry, lease, nowMs, record } from '@strata/insight/records-for-test'
import { nothingObserved, type Observed } from './observed.ts'

const identity = (name: string, instance: string): Lease => {
  const made = lease(name, instance, { renewTime: new Date(nowMs - 1_000).toISOString() })
  const labels = { ...made.metadata.labels, 'apiserver.kubernetes.io/identity': 'kube-apiserver' }
  return { ...made, metadata: { ...made.metadata, labels, namespace: 'kube-system' } }
}

/** A record of `example.dev` in which each server writes the version that is named for it. */
export const recordOf = (
  resource: string,
  writes: Readonly<Record<string, string>>,
  status: Partial<StorageAgreement['status']> = {},
): StorageAgreement => {
  const versions = [...new Set(Object.values(writes))]
  const agreed = versions.length === 1 ? { agreedVersion: `example.dev/${versions[0]}` } : {}
  const servers = Object.entries(writes).map(([id, version]) => entry(id, `example.dev/${version}`))
  const made = record(servers, {
    ...agreed,
    encodings: versions.map((version) => `example.dev/${version} identity f strict`),
    persisted: versions.map((version) => ({
      ...{ encodingVersion: `example.dev/${version}`, writeKey: 'identity', epoch: 3 },
    })),
    ...status,
  })
  const metadata = { name: `example.dev.${resource}`, resourceVersion: '7', uid: resource }
  return { ...made, metadata, spec: { group: 'example.dev', resource } }
}

const seen = <T>(objects: readonly T[]) => ({ sight: 'seen' as const, objects })

/** What is seen of servers a, b, … that have these records. */
export function observedFleet(servers: readonly string[], records: readonly StorageAgreement[]): Observed {
  return {
    ...nothingObserved,
    ...{ atMs: nowMs, records: seen(records), leases: seen(servers.map((id) => identity(id, id))) },
    ...{ states: seen([]), versioned: seen([]), plain: seen([]) },
    served: new Set(records.map(({ spec }) => `${spec.resource}.${spec.group}`)),
  }
}

export { nowMs }
