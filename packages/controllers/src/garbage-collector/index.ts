import type { ControllerPart, Term } from '../engine/index.ts'
import { GarbageCollector } from './garbage-collector.ts'
import { OwnerGraph } from './owner-graph.ts'
import { ResourceWatches } from './resource-watches.ts'

export function garbageCollector({ world, client, log }: Term): ControllerPart {
  const graph = new OwnerGraph()
  const watches = new ResourceWatches({ world: { ...world, log }, client, graph })
  return {
    sources: [watches],
    reconciler: new GarbageCollector({ client, graph, watches, log }),
    workers: 20,
    // An owner with very many dependents is orphaned in one reconcile.
    reconcileTimeoutMs: 600_000,
    background: [(signal) => watches.run(signal)],
  }
}
