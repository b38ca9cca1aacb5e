import {
  agreementName,
  type GroupResource,
  groupResourceText,
  originsAnnotation,
  originsOf,
  type StorageAgreement,
  type StorageVersion,
  storageVersions,
} from '@strata/api'
import type { Observed } from './observed.ts'

/** What was read about a resource that aggregated servers store. */
export type OriginObservation =
  | { readonly kind: 'refused'; readonly because: string }
  | {
      readonly kind: 'read'
      /** The record as each served version shows it, by version. */
      readonly records: ReadonlyMap<string, Observed<StorageAgreement>>
      /** The StorageVersion in the aggregator: it shows whether other stores claim the resource too. */
      readonly mirror: Observed<StorageVersion>
    }

export type OriginDecision =
  | { readonly kind: 'record'; readonly record: StorageAgreement }
  | { readonly kind: 'refused'; readonly because: string }

const refused = (because: string): OriginDecision => ({ kind: 'refused', because })

/**
 * The one record of a resource that aggregated servers store, or why there is none. The mirror in the aggregator may be old, so
 * it never makes anything agreed: it only shows that two stores claim the resource.
 */
export function decideOrigin(resource: GroupResource, seen: OriginObservation): OriginDecision {
  if (seen.kind === 'refused') return seen
  const text = groupResourceText(resource)
  const records: StorageAgreement[] = []
  for (const [version, sight] of seen.records) {
    const through = `the aggregated servers (${resource.group}/${version})`
    if (sight.kind === 'hidden') {
      return refused(
        `you may not read the agreement record of ${text} at ${through}: it needs the right to get storageagreements.${resource.group}`,
      )
    }
    if (sight.kind === 'absent') return refused(`${through} have no agreement record of ${text}`)
    const { spec } = sight.object
    if (spec.group !== resource.group || spec.resource !== resource.resource) {
      return refused(`${through} answered with the record of ${groupResourceText(spec)}, not of ${text}`)
    }
    if (!sight.object.metadata.uid) return refused(`${through} answered with a record without a uid`)
    records.push(sight.object)
  }
  const [record] = records
  if (record === undefined) return refused(`no aggregated server shows an agreement record of ${text}`)
  const { uid } = record.metadata
  if (records.some(({ metadata }) => metadata.uid !== uid)) {
    return refused(`two origins: the versions of ${text} are served from different stores`)
  }
  if (seen.mirror.kind === 'hidden') {
    return refused(
      `you may not read the StorageVersion ${agreementName(resource)} of the aggregator, which says whether a second store has ${text}: it needs the right to get ${groupResourceText(storageVersions)}`,
    )
  }
  const other = seen.mirror.kind === 'found' ? otherOrigin(seen.mirror.object, uid) : undefined
  return other === undefined ? { kind: 'record', record } : refused(other)
}

/** Why the mirror shows another record beside or instead of this one. */
function otherOrigin(mirror: StorageVersion, uid: string | undefined): string | undefined {
  const { name, annotations } = mirror.metadata
  const text = annotations?.[originsAnnotation]
  if (text === undefined) return undefined
  const origins = originsOf(mirror)
  // Never empty where it was written by a mirror.
  if (origins.length === 0)
    return `the origins of the StorageVersion ${name} cannot be read: ${text.slice(0, 80)}`
  if (origins.length > 1) {
    return `two origins: the StorageVersion ${name} shows the records of ${origins.length} stores`
  }
  const [origin] = origins
  if (origin === undefined || origin.recordUID === uid) return undefined
  return `two origins: the StorageVersion ${name} shows the record ${origin.recordUID}, and the aggregated servers have ${uid}`
}
