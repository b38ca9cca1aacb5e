import { computed, type ReadonlySignal } from '@preact/signals'
import { groupResourceText, type StorageAgreement } from '@strata/api'
import { useEffect, useMemo } from 'preact/hooks'
import { decideStorageRow, type StorageRow } from '../../model/storage/storage-rows.ts'
import { useApp } from '../../shell/app-context.ts'

/** One resource with its counts, which are taken while it is in sight. */
export function useStorageRow(record: StorageAgreement, maxObjects = 0): ReadonlySignal<StorageRow> {
  const { census, moment } = useApp()
  const resource = groupResourceText(record.spec)
  const mark = useMark(record)
  const name = record.metadata.name ?? ''
  useEffect(() => census.want(name, resource, mark, maxObjects), [census, name, resource, mark, maxObjects])
  return useMemo(
    () =>
      computed(() => {
        const { status } = census.of(resource).value
        // Counts are of now.
        return decideStorageRow({ record, census: moment.value ? undefined : status })
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
