import { identityNamespace } from '@strata/api'
import type { ResourceAddress } from '@strata/client'
import type { KindName } from './observed.ts'

interface KindAddress extends ResourceAddress {
  readonly namespace?: string
}

/** By address: with the definitions of these kinds the page would load their schemas. */
export const kindAddresses: Readonly<Record<KindName, KindAddress>> = {
  records: { group: 'strata.dev', versionName: 'v1alpha1', resource: 'storageagreements' },
  leases: {
    ...{ group: 'coordination.k8s.io', versionName: 'v1', resource: 'leases' },
    namespace: identityNamespace,
  },
  states: { group: 'migration.k8s.io', versionName: 'v1alpha1', resource: 'storagestates' },
  versioned: { group: 'migration.k8s.io', versionName: 'v1alpha1', resource: 'storageversionmigrations' },
  plain: { group: 'storagemigration.k8s.io', versionName: 'v1beta1', resource: 'storageversionmigrations' },
}

export const kindNames = Object.keys(kindAddresses) as readonly KindName[]
