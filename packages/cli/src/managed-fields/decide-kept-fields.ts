import { isJsonObject } from '@strata/api'

/** Who owns fields in a dead version: what is lost when the entry is removed. */
export interface Owner {
  readonly version: string
  readonly manager: string
  readonly operation: string
  readonly subresource: string
}

export interface KeptFields {
  /** For metadata.managedFields, as they were. */
  readonly kept: readonly unknown[]
  readonly dropped: readonly Owner[]
}

/** Splits metadata.managedFields. Entries of other groups, such as those of the scale subresource, are kept. */
export function decideKeptFields(
  managedFields: unknown,
  group: string,
  isDead: (version: string) => boolean,
): KeptFields {
  const kept: unknown[] = []
  const dropped: Owner[] = []
  for (const entry of Array.isArray(managedFields) ? managedFields : []) {
    const owner = ownerOf(entry, group)
    if (owner !== undefined && isDead(owner.version)) dropped.push(owner)
    else kept.push(entry)
  }
  return { kept, dropped }
}

function ownerOf(entry: unknown, group: string): Owner | undefined {
  if (!isJsonObject(entry)) return undefined
  const { apiVersion } = entry
  if (typeof apiVersion !== 'string' || !apiVersion.startsWith(`${group}/`)) return undefined
  const text = (key: string): string => {
    const value = entry[key]
    return typeof value === 'string' ? value : ''
  }
  return {
    version: apiVersion.slice(group.length + 1),
    ...{ manager: text('manager'), operation: text('operation'), subresource: text('subresource') },
  }
}

/**
 * The list to send. A server takes an empty list for a client that knows nothing of the field, and keeps what it has; one empty
 * entry means that nothing is owned.
 */
export const sentFields = (kept: readonly unknown[]): readonly unknown[] => (kept.length === 0 ? [{}] : kept)
