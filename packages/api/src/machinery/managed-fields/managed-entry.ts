import { isJsonObject } from '../patch/json-value.ts'
import type { FieldSet } from './field-set.ts'
import { fieldsV1Of, parseFieldsV1 } from './fields-v1.ts'
import { compareTexts, FieldsV1Malformed } from './path-element.ts'

export type ManagedOperation = 'Apply' | 'Update'

/** One entry of `metadata.managedFields`, as it is on the wire. */
export interface ManagedFieldsEntry {
  readonly manager?: string
  readonly operation: ManagedOperation
  readonly apiVersion: string
  readonly time?: string
  readonly fieldsType: 'FieldsV1'
  readonly fieldsV1: unknown
  readonly subresource?: string
}

/** Who wrote, how, in which version, and through which subresource. */
export interface ManagerId {
  readonly manager: string
  readonly operation: ManagedOperation
  readonly apiVersion: string
  readonly subresource: string
}

/** What one manager owns. */
export interface Managed extends ManagerId {
  readonly time: string | undefined
  readonly set: FieldSet
  /** The entry this was read from, if it still says the same: it need not be written anew. */
  readonly entry?: ManagedFieldsEntry
}

export type ManagedByKey = Map<string, Managed>

/** Two entries with the same key are one. An applier has one entry, whichever version it last applied in. */
export function managerKey({ manager, operation, apiVersion, subresource }: ManagerId): string {
  const version = operation === 'Apply' ? undefined : apiVersion
  return JSON.stringify({
    manager,
    operation,
    apiVersion: version,
    subresource: subresource === '' ? undefined : subresource,
  })
}

/** `undefined` if any entry cannot be read: half of the truth about ownership would be a lie. */
export function readManagedFields(entries: unknown): ManagedByKey | undefined {
  const managed: ManagedByKey = new Map()
  if (entries === null || entries === undefined) return managed
  if (!Array.isArray(entries)) return undefined
  for (const entry of entries) {
    const read = readEntry(entry)
    if (read === undefined) return undefined
    managed.set(managerKey(read), read)
  }
  return managed
}

function readEntry(entry: unknown): Managed | undefined {
  if (!isJsonObject(entry)) return undefined
  const { manager = '', operation, apiVersion, time, fieldsType, fieldsV1, subresource = '' } = entry
  if (operation !== 'Apply' && operation !== 'Update') return undefined
  if (typeof apiVersion !== 'string' || apiVersion === '' || fieldsType !== 'FieldsV1') return undefined
  if (typeof manager !== 'string' || typeof subresource !== 'string') return undefined
  if (time !== null && time !== undefined && !isTime(time)) return undefined
  try {
    return {
      manager,
      operation,
      apiVersion,
      subresource,
      time: time ?? undefined,
      set: parseFieldsV1(fieldsV1),
      entry: entry as unknown as ManagedFieldsEntry,
    }
  } catch (error) {
    if (error instanceof FieldsV1Malformed) return undefined
    throw error
  }
}

const isTime = (time: unknown): time is string => typeof time === 'string' && !Number.isNaN(Date.parse(time))

/** In upstream's order. `undefined` if no manager owns anything: then the field is left out altogether. */
export function writeManagedFields(managed: ManagedByKey): readonly ManagedFieldsEntry[] | undefined {
  if (managed.size === 0) return undefined
  return Array.from(managed.values()).sort(compareManaged).map(writeEntry)
}

function writeEntry({
  entry,
  manager,
  operation,
  apiVersion,
  time,
  set,
  subresource,
}: Managed): ManagedFieldsEntry {
  if (entry) return entry
  return {
    ...(manager === '' ? {} : { manager }),
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: fieldsV1Of(set),
    ...(subresource === '' ? {} : { subresource }),
  }
}

/** Appliers first, then by time. A second is as fine as upstream looks. */
function compareManaged(a: Managed, b: Managed): number {
  return (
    compareTexts(a.operation, b.operation) ||
    managedSeconds(a) - managedSeconds(b) ||
    compareTexts(a.manager, b.manager) ||
    compareTexts(a.apiVersion, b.apiVersion) ||
    compareTexts(a.subresource, b.subresource)
  )
}

/** Without a time, an entry is older than all others. */
export const managedSeconds = ({ time }: Managed): number =>
  time === undefined ? 0 : Math.floor(Date.parse(time) / 1000)

/** The same manager with another set; the entry it was read from says the wrong thing now. */
export function withSet({ entry: _outdated, ...managed }: Managed, set: FieldSet): Managed {
  return { ...managed, set }
}
