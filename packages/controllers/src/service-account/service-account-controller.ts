import type { Namespace, ServiceAccount } from '@strata/api'
import { isConflict, type ResourceClient } from '@strata/client'
import type { Log } from '@strata/world'
import { isNamespaceGone, type Reconciler } from '../engine/index.ts'
import { accountName, decideAccount } from './decide-account.ts'

export interface DefaultAccountOptions {
  readonly accounts: ResourceClient<ServiceAccount>
  /** The stores of the informers. */
  readonly known: {
    readonly namespaces: ReadonlyMap<string, Namespace>
    readonly accounts: ReadonlyMap<string, ServiceAccount>
  }
  readonly log: Log
}

/** Keeps a default service account in every namespace. Keys are the names of namespaces. */
export function createDefaultAccounts({ accounts, known, log }: DefaultAccountOptions): Reconciler {
  return {
    reconcile: async (namespace, signal) => {
      const account = known.accounts.get(`${namespace}/${accountName}`)
      if (decideAccount(known.namespaces.get(namespace), account).do === 'nothing') return undefined
      try {
        await accounts.create({ metadata: { name: accountName, namespace } }, signal)
        log.info('created the default service account', { namespace })
      } catch (error) {
        // Another client created it first, or the namespace is terminating. The watches will bring that.
        if (!isConflict(error) && !isNamespaceGone(error, namespace)) throw error
      }
      return undefined
    },
  }
}
