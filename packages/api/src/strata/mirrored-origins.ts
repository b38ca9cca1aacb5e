import { isJsonObject } from '../machinery/patch/index.ts'
import type { ApiObject } from '../meta/object.ts'

/** On a StorageVersion in an aggregator: the agreement records that it was mirrored from, as JSON (`MirroredOrigin`). */
export const originsAnnotation = 'strata.dev/origins'

/** One state of the agreement record of an aggregated fleet. */
export interface MirroredOrigin {
  /** The store of the fleet, by the uid of its namespace kube-system. */
  readonly origin: string
  readonly recordUID: string
  readonly epoch: number
  readonly resourceVersion: string
}

/**
 * The origins that a StorageVersion names, sorted. Clients may write the annotation: what is not an origin is left out, and of
 * two that name the same store the first one counts.
 */
export function originsOf({ metadata: { annotations } }: ApiObject): readonly MirroredOrigin[] {
  const found = new Map<string, MirroredOrigin>()
  for (const each of parseList(annotations?.[originsAnnotation])) {
    const origin = readOrigin(each)
    if (origin && !found.has(origin.origin)) found.set(origin.origin, origin)
  }
  return sorted([...found.values()])
}

/** The value of the annotation; the same origins give the same text. */
export function originsText(origins: readonly MirroredOrigin[]): string {
  return JSON.stringify(
    sorted(origins).map(({ origin, recordUID, epoch, resourceVersion }) => ({
      ...{ origin, recordUID, epoch, resourceVersion },
    })),
  )
}

/** The object with these origins, or without the annotation. */
export function withOrigins<T extends ApiObject>(object: T, origins: readonly MirroredOrigin[]): T {
  const { [originsAnnotation]: _, ...others } = object.metadata.annotations ?? {}
  const annotations = origins.length === 0 ? others : { ...others, [originsAnnotation]: originsText(origins) }
  return { ...object, metadata: { ...object.metadata, annotations } }
}

function sorted(origins: readonly MirroredOrigin[]): readonly MirroredOrigin[] {
  return [...origins].sort((a, b) => (a.origin < b.origin ? -1 : a.origin > b.origin ? 1 : 0))
}

function parseList(text: string | undefined): readonly unknown[] {
  if (text === undefined) return []
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

function readOrigin(value: unknown): MirroredOrigin | undefined {
  if (!isJsonObject(value)) return undefined
  const { origin, recordUID, epoch, resourceVersion } = value
  const isOrigin =
    typeof origin === 'string' &&
    origin !== '' &&
    typeof recordUID === 'string' &&
    typeof resourceVersion === 'string' &&
    Number.isSafeInteger(epoch)
  return isOrigin ? { origin, recordUID, epoch: epoch as number, resourceVersion } : undefined
}
