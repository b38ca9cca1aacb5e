import { type Signal, useComputed, useSignal } from '@preact/signals'
import type { StorageAgreement } from '@strata/api'
import { useRef } from 'preact/hooks'
import { decideStorageRow } from '../../model/storage/storage-rows.ts'
import type { View } from '../../shell/app-context.ts'
import { useApp } from '../../shell/app-context.ts'
import { FilterField } from '../../shell/filter-field.tsx'
import { StorageDrawer } from './storage-drawer.tsx'
import { StorageLine } from './storage-line.tsx'
import { useRowsInSight } from './use-rows-in-sight.ts'

type StorageItem = StorageAgreement | 'fold'

/** What is stored, in which version? */
const Storage = () => {
  const { route, records } = useApp()
  const isOpen = useSignal(false)
  const list = useRef<HTMLUListElement>(null)
  const parts = useStoredResources()
  const items = useComputed((): readonly StorageItem[] => {
    const { attention, others } = parts.value
    if (attention.length === 0 || others.length === 0) return [...attention, ...others]
    return [...attention, 'fold', ...(isOpen.value ? others : [])]
  })
  const { from, to, before, after, first, end } = useRowsInSight(list, items).value
  const { item } = route.value
  const opened = item === undefined ? undefined : records.value.get(item)
  return (
    <section class="view" aria-label="Storage">
      <FilterField />
      <ul class="storage" ref={list} style={{ paddingTop: `${before}px`, paddingBottom: `${after}px` }}>
        {items.value.slice(from, to).map((each, index) => {
          const isInSight = from + index >= first && from + index < end
          return each === 'fold' ? (
            <Fold key="fold" count={parts.value.others.length} isOpen={isOpen} />
          ) : (
            <StorageLine key={each.metadata.name} record={each} isInSight={isInSight} />
          )
        })}
      </ul>
      {opened && <StorageDrawer record={opened} />}
    </section>
  )
}

const Fold = ({ count, isOpen }: { readonly count: number; readonly isOpen: Signal<boolean> }) => (
  <li class="storage-fold">
    <button
      type="button"
      class="fold-button"
      aria-expanded={isOpen.value}
      onClick={() => (isOpen.value = !isOpen.value)}
    >
      {count} {count === 1 ? 'resource has' : 'resources have'} one layer
    </button>
  </li>
)

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
