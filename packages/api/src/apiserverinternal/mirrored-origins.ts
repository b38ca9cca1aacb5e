import type { ApiObject } from '../meta/object.ts'

/** On a StorageVersion that shows the agreement records of aggregated servers: of which stores, as JSON. */
export const originsAnnotation = 'strata.dev/origins'

/** The record that is shown, and the store that has it. */
export interface MirroredOrigin {
  /** The UID of the Namespace kube-system in that store. */
  readonly origin: string
  readonly recordUID: string
  readonly epoch: number
  /** Of the record, in its own store. */
  readonly resourceVersion: string
}

/** The records that a StorageVersion shows: undefined if it shows none, `unreadable` if its annotation cannot be read. */
export function mirroredOrigins({
  metadata: { annotations },
}: Pick<ApiObject, 'metadata'>): readonly MirroredOrigin[] | 'unreadable' | undefined {
  const text = annotations?.[originsAnnotation]
  if (text === undefined) return undefined
  try {
    const found: unknown = JSON.parse(text)
    return Array.isArray(found) && found.every(isOrigin) ? found : 'unreadable'
  } catch {
    return 'unreadable'
  }
}

function isOrigin(value: unknown): value is MirroredOrigin {
  const { origin, recordUID } = (value ?? {}) as Partial<Record<string, unknown>>
  return typeof origin === 'string' && typeof recordUID === 'string'
}
