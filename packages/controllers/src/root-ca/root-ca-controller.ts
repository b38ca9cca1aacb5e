import type { ConfigMap, Namespace } from '@strata/api'
import { isAbsence, isConflict, type ResourceClient } from '@strata/client'
import type { Log } from '@strata/world'
import { isNamespaceGone, type Reconciler } from '../engine/index.ts'
import { bundleName, decidePublication, type PublicationDecision } from './decide-publication.ts'

export interface RootCaPublisherOptions {
  readonly configMaps: ResourceClient<ConfigMap>
  /** What the watches have told so far. */
  readonly known: {
    readonly namespaces: ReadonlyMap<string, Namespace>
    readonly configMaps: ReadonlyMap<string, ConfigMap>
  }
  /** In PEM form. */
  readonly rootCa: string
  readonly log: Log
}

/** Keeps the certificates of the cluster in every namespace. Keys are the names of namespaces. */
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
        // Its end is an event, which brings us back to make the right one.
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
          log.info('published the root certificates', { namespace, do: decision.do })
        }
      } catch (error) {
        // What we knew was old. The watches bring what is new, and us back here.
        const isOld = isConflict(error) || isAbsence(error, configMaps.address, bundleName)
        if (!isOld && !isNamespaceGone(error, namespace)) throw error
      }
      return undefined
    },
  }
}
