import {
  identityNamespace,
  leases,
  type StorageAgreement,
  type StorageVersion,
  storageAgreements,
  storageVersions,
} from '@strata/api'
import { type ControllerPart, informerSource, type Term } from '../engine/index.ts'
import { createClientObjectGc } from './client-objects.ts'
import { createOriginsGc } from './origins-gc.ts'
import { createStorageVersionGc } from './storage-version-collector.ts'
import { createUnseenNamesGc, unseenNamesKey } from './unseen-names.ts'

export function storageVersionGc({ client, informers, log, world }: Term): ControllerPart {
  const leaseInformer = informers.of(leases, 'v1', { namespace: identityNamespace })
  const agreementInformer = informers.of<StorageAgreement>(storageAgreements, 'v1alpha1')
  const objectInformer = informers.of<StorageVersion>(storageVersions, 'v1alpha1')
  const known = {
    leases: leaseInformer.store,
    agreements: agreementInformer.store,
    storageVersions: objectInformer.store,
  }
  const leaseClient = client.resource(leases, 'v1')
  const records = createStorageVersionGc({
    agreements: client.resource<StorageAgreement>(storageAgreements, 'v1alpha1'),
    leases: leaseClient,
    known,
    log,
  })
  const objects = createClientObjectGc({
    storageVersions: client.resource<StorageVersion>(storageVersions, 'v1alpha1'),
    leases: leaseClient,
    known,
    clock: world.clock,
    log,
  })
  const origins = createOriginsGc({
    storageVersions: client.resource<StorageVersion>(storageVersions, 'v1alpha1'),
    leases: leaseClient,
    known,
    log,
  })
  const unseen = createUnseenNamesGc({
    agreements: client.resource<StorageAgreement>(storageAgreements, 'v1alpha1'),
    known: known.agreements,
    clock: world.clock,
    log,
  })
  return {
    sources: [
      informerSource(agreementInformer, ({ key, object }) =>
        object.status.unseenProcesses ? [key, unseenNamesKey] : [key],
      ),
      informerSource(objectInformer, ({ key }) => [key]),
      // A deleted Lease may concern every record and object; each reconcile finds out.
      informerSource(leaseInformer, ({ kind }) =>
        kind === 'deleted' ? [...known.agreements.keys(), ...known.storageVersions.keys()] : [],
      ),
    ],
    // A record and its StorageVersion have the same name: the record of the servers comes first.
    reconciler: {
      reconcile: async (name, signal) => {
        if (name === unseenNamesKey) return unseen.reconcile(name, signal)
        return (
          (known.agreements.has(name) ? await records.reconcile(name, signal) : undefined) ??
          (await objects.reconcile(name, signal)) ??
          origins.reconcile(name, signal)
        )
      },
    },
  }
}
