import type { ConfigMap, Namespace } from '@strata/api'
import { isAbsence, isConflict, type ResourceClient } from '@strata/client'
import type { Log } from '@strata/world'
import { isNamespaceGone, type Reconciler } from '../engine/index.ts'
import { bundleName, decidePublication, type PublicationDecision } from './decide-publication.ts'

export interface RootCaPublisherOptions {
  readonly configMaps: ResourceClient<ConfigMap>
  /** The stores of the informers. */
  readonly known: {
    readonly namespaces: ReadonlyMap<string, Namespace>
    readonly configMaps: ReadonlyMap<string, ConfigMap>
  }
  /** In PEM form. */
  readonly rootCa: string
  readonly log: Log
}

/** Publishes the CA bundle of the cluster in every namespace. Keys are the names of namespaces. */
export function createRootCaPublisher(options: RootCaPublisherOptions): Reconciler {
  const { configMaps, known, rootCa, log } = options

  const act = async (
    decision: PublicationDecision,
    namespace: string,
    published: ConfigMap | undefined,
    signal: AbortSignal,
  ): Promise<void> => {
    switch (decision.do) {
      case 'nothing':
        return
      case 'create':
        await configMaps.create(decision.bundle, signal)
        return
      case 'update':
        await configMaps.update(decision.bundle, signal)
        return
      case 'delete': {
        // The deletion is an event, which enqueues the namespace again.
        const { uid = '' } = published?.metadata ?? {}
        await configMaps.delete({ namespace, name: bundleName }, { preconditions: { uid } }, signal)
      }
    }
  }

  return {
    reconcile: async (namespace, signal) => {
      const published = known.configMaps.get(`${namespace}/${bundleName}`)
      const decision = decidePublication(known.namespaces.get(namespace), published, rootCa)
      try {
        await act(decision, namespace, published, signal)
        if (decision.do !== 'nothing') {
          log.info('published the root CA bundle', { namespace, do: decision.do })
        }
      } catch (error) {
        // The stores were old. The watches bring the new state and enqueue the key again.
        const isOld = isConflict(error) || isAbsence(error, configMaps.address, bundleName)
        if (!isOld && !isNamespaceGone(error, namespace)) throw error
      }
      return undefined
    },
  }
}
