import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { isEqual } from '../../model/keep-equal.ts'
import { decideWindow, type RowWindow, rowsInSight } from '../../model/row-window.ts'

/** Before the first row is measured; as in `storage.css`. */
const defaultHeight = 52

type SeenRows = RowWindow & ReturnType<typeof rowsInSight>

/** Which rows of a list are drawn, and which of them are in sight, while the page scrolls. */
export function useRowsInSight(
  list: RefObject<HTMLElement | null>,
  rows: ReadonlySignal<readonly unknown[]>,
): ReadonlySignal<SeenRows> {
  const place = useSignal({ offset: 0, height: 0, rowHeight: defaultHeight })
  const last = useRef<SeenRows | undefined>(undefined)
  useLayoutEffect(() => {
    const measure = (): void => {
      const { current } = list
      if (!current) return
      const { height: rowHeight = defaultHeight } = current.firstElementChild?.getBoundingClientRect() ?? {}
      place.value = { offset: -current.getBoundingClientRect().top, height: innerHeight, rowHeight }
    }
    measure()
    const stop = new AbortController()
    for (const each of ['scroll', 'resize'])
      addEventListener(each, measure, { signal: stop.signal, passive: true })
    return () => stop.abort()
  }, [list, place])
  return useComputed(() => {
    const view = { ...place.value, rows: rows.value.length }
    const next = { ...decideWindow(view), ...rowsInSight(view) }
    if (last.current === undefined || !isEqual(last.current, next)) last.current = next
    return last.current
  })
}
