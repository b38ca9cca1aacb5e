import { computed, type ReadonlySignal, useComputed } from '@preact/signals'
import { groupResourceText, type StorageAgreement } from '@strata/api'
import { useEffect, useMemo } from 'preact/hooks'
import type { CensusSeen } from '../../live/census-taker.ts'
import { decideShownCensus } from '../../model/storage/shown-census.ts'
import { decideStorageRow, type StorageRow } from '../../model/storage/storage-rows.ts'
import { useApp } from '../../shell/app-context.ts'

export interface ShownStorage {
  readonly row: StorageRow
  readonly census: CensusSeen
}

interface Wanted {
  /** How many stale objects are named. */
  readonly maxObjects?: number
  readonly isInSight?: boolean
}

/** One resource with its counts. They are taken while it is in sight, and not for a moment of the past: a count is of now. */
export function useStorageRow(
  record: StorageAgreement,
  { maxObjects = 0, isInSight = true }: Wanted = {},
): ReadonlySignal<ShownStorage> {
  const { census, moment } = useApp()
  const resource = groupResourceText(record.spec)
  const mark = useMark(record)
  const isPast = useComputed(() => moment.value !== undefined).value
  const name = record.metadata.name ?? ''
  const isWanted = isInSight && !isPast
  useEffect(
    () => (isWanted ? census.want(name, resource, mark, maxObjects) : undefined),
    [census, name, resource, mark, maxObjects, isWanted],
  )
  return useMemo(
    () =>
      computed(() => {
        const shown = decideShownCensus(census.of(resource).value, record, moment.value?.atMs)
        return { row: decideStorageRow({ record, census: shown.status }), census: shown }
      }),
    [census, moment, record, resource],
  )
}

/** What has changed when objects may have moved: the record, or a migration. */
function useMark({ metadata, spec }: StorageAgreement): string {
  const { migrations } = useApp()
  const own = migrations.value.filter(
    ({ resource }) => resource.group === spec.group && resource.resource === spec.resource,
  )
  return [
    metadata.resourceVersion,
    ...own.map(({ uid, resourceVersion }) => `${uid} ${resourceVersion}`),
  ].join()
}
