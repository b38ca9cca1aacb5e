import { type Event, identityNamespace } from '@strata/api'
import { timestamp } from '@strata/world'
import type { BlockedWrites } from '../health/index.ts'
import type { Registry } from '../registry/index.ts'
import { writeEvent } from './write-event.ts'

/** Upstream's limit. */
const messageLength = 1024

/**
 * Reports as an Event about the Lease of this server that the store could not be written for a while. It comes after the fact,
 * because an Event is a write too. Until then the log, the health check and the metric report it.
 */
export async function announceRecoveredWrites(
  registry: Registry,
  serverID: string,
  past: BlockedWrites,
  signal: AbortSignal,
): Promise<void> {
  const resource = registry.api.own('', 'v1', 'events')
  if (resource) await writeEvent(registry, resource, describe(registry, serverID, past), signal)
}

function describe(
  { world: { clock } }: Registry,
  serverID: string,
  { fault, message, sinceWallMs, failures }: BlockedWrites,
): Event {
  const seconds = Math.max(1, Math.round((clock.wallMs() - sinceWallMs) / 1000))
  return {
    metadata: { name: `${serverID}.store-writes.${sinceWallMs.toString(16)}`, namespace: identityNamespace },
    involvedObject: {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      namespace: identityNamespace,
      name: serverID,
    },
    reason: 'StoreWritesFailed',
    type: 'Warning',
    message:
      `the store could not be written for ${seconds} s (${fault}, ${failures} commits of this server failed); it can be written again. Last: ${message}`.slice(
        0,
        messageLength,
      ),
    source: { component: 'strata' },
    reportingComponent: 'strata.dev/store',
    reportingInstance: serverID,
    firstTimestamp: new Date(sinceWallMs).toISOString().replace(/\.\d+Z$/, 'Z'),
    lastTimestamp: timestamp(clock),
    count: failures,
  }
}
