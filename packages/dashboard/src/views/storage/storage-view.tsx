import { useComputed, useSignal } from '@preact/signals'
import type { StorageAgreement } from '@strata/api'
import { decideStorageRow } from '../../model/storage/storage-rows.ts'
import type { View } from '../../shell/app-context.ts'
import { useApp } from '../../shell/app-context.ts'
import { FilterField } from '../../shell/filter-field.tsx'
import { StorageDrawer } from './storage-drawer.tsx'
import { StorageLine } from './storage-line.tsx'

/** What is stored, in which version? */
const Storage = () => {
  const { route, records } = useApp()
  const parts = useStoredResources()
  const isOpen = useSignal(false)
  const { attention, others } = parts.value
  const isUnfolded = isOpen.value || attention.length === 0
  const { item } = route.value
  const opened = item === undefined ? undefined : records.value.get(item)
  return (
    <section class="view" aria-label="Storage">
      <FilterField />
      <ul class="storage">
        {attention.map((record) => (
          <StorageLine key={record.metadata.name} record={record} />
        ))}
        {attention.length > 0 && others.length > 0 && (
          <li class="storage-fold">
            <button
              type="button"
              class="fold-button"
              aria-expanded={isUnfolded}
              onClick={() => (isOpen.value = !isOpen.value)}
            >
              {others.length} {others.length === 1 ? 'resource has' : 'resources have'} one layer
            </button>
          </li>
        )}
        {isUnfolded && others.map((record) => <StorageLine key={record.metadata.name} record={record} />)}
      </ul>
      {opened && <StorageDrawer record={opened} />}
    </section>
  )
}

/** By the records alone, so that a count that arrives moves no line. */
function useStoredResources() {
  const { records, filter } = useApp()
  return useComputed(() => {
    const wanted = filter.value.trim().toLowerCase()
    const shown = [...records.value]
      .filter(([resource]) => resource.includes(wanted))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, record]) => record)
    const needs = (record: StorageAgreement): boolean =>
      decideStorageRow({ record, census: undefined }).needsAttention
    return { attention: shown.filter(needs), others: shown.filter((each) => !needs(each)) }
  })
}

export const storageView: View = {
  ...{ name: 'storage', title: 'Storage', letter: 's' },
  Panel: Storage,
}
