import type { MigrationTarget } from '@strata/controllers'
import { counted } from '@strata/insight'

/** The servers that were asked, if only discovery publishes the storage version. */
export interface Asked {
  readonly kind: 'servers' | 'samples'
  readonly count: number
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
      return `CRD, generation ${definition?.generation}: servers do not publish the generation that they use`
    case 'discovery':
      return `hash ${hash} in discovery, ${askedText(asked)}`
    case 'unpublished':
      return 'its storage version is not published'
  }
}

function askedText({ kind, count }: Asked): string {
  if (kind === 'servers')
    return count === 1 ? 'of the one server named' : `of each of the ${count} servers named`
  return `in ${counted(count, 'sample')} through one address: servers behind it that were not sampled may differ (strata verify --server asks each)`
}
