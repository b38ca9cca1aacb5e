import type { Namespace, ServiceAccount } from '@strata/api'
import { isConflict, type ResourceClient } from '@strata/client'
import type { Log } from '@strata/world'
import { isNamespaceGone, type Reconciler } from '../engine/index.ts'
import { accountName, decideAccount } from './decide-account.ts'

export interface DefaultAccountOptions {
  readonly accounts: ResourceClient<ServiceAccount>
  /** What the watches have told so far. */
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
        log.info('made the default service account', { namespace })
      } catch (error) {
        // Somebody else was faster, or the namespace ended meanwhile; the watches will tell.
        if (!isConflict(error) && !isNamespaceGone(error, namespace)) throw error
      }
      return undefined
    },
  }
}
