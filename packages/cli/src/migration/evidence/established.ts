import type { MigrationTarget } from '@strata/controllers'
import { counted } from '@strata/insight'
import type { ApiServers } from '../../connection/api-servers/api-servers.ts'

/** The servers that were asked, where neither a record nor a StorageVersion says what they write. */
export interface Asked {
  /** `servers`: named by the user. `endpoints`: by the cluster. `samples`: connections through one address. */
  readonly kind: 'servers' | 'endpoints' | 'samples'
  readonly count: number
  /** Endpoints that could not be asked. */
  readonly unasked?: number
  /** Identity Leases; more than endpoints, if the cluster does not name each server. */
  readonly leases?: number
  /** How many servers show the CRD as it is. */
  readonly shownBy?: number
}

export function askedOf({ kind, servers, unasked, leases }: ApiServers): Asked {
  const found = kind === 'endpoints' ? { unasked: unasked.length } : {}
  return { kind, count: servers.length, ...found, ...(leases === undefined ? {} : { leases }) }
}

/** How it is known that all servers write the same, and how far that goes. */
export function establishedText(target: MigrationTarget, asked: Asked, isAggregated = false): string {
  const { how, epoch, fenced, definition, resourceVersion, hash } = target
  const record = isAggregated ? 'agreement record of the aggregated servers' : 'agreement record'
  switch (how) {
    case 'record':
      return fenced
        ? `${record}, epoch ${epoch}, fenced: it guards each write`
        : `${record}, epoch ${epoch}, not fenced: a server that writes without the guard may not know it yet`
    case 'storageversion':
      return `StorageVersion object at resourceVersion ${resourceVersion}: all servers that are known have reported the same`
    case 'definition':
      return `CRD, generation ${definition?.generation}: ${crdText(asked)}`
    case 'discovery':
      return `hash ${hash} in discovery, ${askedText(asked)}`
    case 'unpublished':
      return 'its storage version is not published'
  }
}

function crdText(asked: Asked): string {
  const { shownBy = 0 } = asked
  if (shownBy === 0) return 'servers do not publish the generation that they use'
  return `its storage version is shown in discovery ${askedText({ ...asked, count: shownBy })}`
}

function askedText({ kind, count, unasked = 0, leases = 0 }: Asked): string {
  switch (kind) {
    case 'servers':
      return count === 1 ? 'by the one server named' : `by each of the ${count} servers named`
    case 'samples':
      return `in ${counted(count, 'sample')} through one address: servers behind it that were not sampled may differ (--server asks each)`
    case 'endpoints': {
      const all = count + unasked
      const others = `: ${unasked} could not be asked and may differ (-v says why)`
      const more = leases > all ? `; there are ${leases} identity Leases, so more servers may run` : ''
      const part =
        unasked === 0
          ? `each of the ${counted(all, 'API server')}`
          : `${count} of ${counted(all, 'API server')}`
      return `by ${part} in the EndpointSlice default/kubernetes, asked one by one${unasked === 0 ? '' : others}${more}`
    }
  }
}
