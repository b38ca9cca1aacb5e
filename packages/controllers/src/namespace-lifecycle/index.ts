import { namespaces } from '@strata/api'
import { type ControllerPart, informerSource, type Term } from '../engine/index.ts'
import { createNamespaceLifecycle } from './namespace-controller.ts'

export function namespaceLifecycle({ world, client, informers, log }: Term): ControllerPart {
  const isTerminating = ({ metadata }: { metadata: { deletionTimestamp?: string } }): boolean =>
    metadata.deletionTimestamp !== undefined
  const source = informerSource(informers.of(namespaces, 'v1'), ({ key, object, kind }) =>
    kind !== 'deleted' && isTerminating(object) ? [key] : [],
  )
  return {
    sources: [source],
    reconciler: createNamespaceLifecycle({
      client,
      namespaces: client.resource(namespaces, 'v1'),
      clock: world.clock,
      log,
    }),
    // A large namespace takes a while. Deleted objects stay deleted, so a reconcile that times out is not lost.
    reconcileTimeoutMs: 600_000,
  }
}
