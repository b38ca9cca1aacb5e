import { identityNamespace, leases, type StorageAgreement, storageAgreements } from '@strata/api'
import { type ControllerPart, informerSource, type Term } from '../engine/index.ts'
import { createStorageVersionGc } from './collector.ts'

export function storageVersionGc({ client, informers, log }: Term): ControllerPart {
  const leaseInformer = informers.of(leases, 'v1', { namespace: identityNamespace })
  const agreementInformer = informers.of<StorageAgreement>(storageAgreements, 'v1alpha1')
  const known = { leases: leaseInformer.store, agreements: agreementInformer.store }
  return {
    sources: [
      informerSource(agreementInformer, ({ key }) => [key]),
      // A Lease that is gone may concern every record; which ones, the records themselves tell.
      informerSource(leaseInformer, ({ kind }) => (kind === 'deleted' ? known.agreements.keys() : [])),
    ],
    reconciler: createStorageVersionGc({
      agreements: client.resource<StorageAgreement>(storageAgreements, 'v1alpha1'),
      leases: client.resource(leases, 'v1'),
      known,
      log,
    }),
  }
}
