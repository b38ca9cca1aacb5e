import { namespaces, serviceAccounts } from '@strata/api'
import { type ControllerPart, informerSource, type Term } from '../engine/index.ts'
import { accountName } from './decide-account.ts'
import { createDefaultAccounts } from './service-account-controller.ts'

export function defaultServiceAccounts({ client, informers, log }: Term): ControllerPart {
  const namespaceInformer = informers.of(namespaces, 'v1')
  const accountInformer = informers.of(serviceAccounts, 'v1', {
    fieldSelector: `metadata.name=${accountName}`,
  })
  return {
    sources: [
      informerSource(namespaceInformer, ({ key }) => [key]),
      informerSource(accountInformer, ({ kind, object }) =>
        kind === 'deleted' ? [object.metadata.namespace ?? ''] : [],
      ),
    ],
    reconciler: createDefaultAccounts({
      accounts: client.resource(serviceAccounts, 'v1'),
      known: { namespaces: namespaceInformer.store, accounts: accountInformer.store },
      log,
    }),
  }
}
