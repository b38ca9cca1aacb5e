import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import { timeAt } from '../model/timeline/time-window.ts'
import type { Timeline } from './timeline-state.ts'

/** How much one step of a wheel changes. */
const wheelZoom = 1.0015

/** Drag: the moment that is shown. Wheel: zoom, sideways: move. Two fingers: both. */
export function useGestures(track: RefObject<HTMLDivElement | null>, timeline: Timeline): void {
  useEffect(() => {
    const { current: element } = track
    return element ? listen(element, timeline) : undefined
  }, [track, timeline])
}

function listen(element: HTMLDivElement, timeline: Timeline): () => void {
  const stop = new AbortController()
  const { signal } = stop
  const fingers = new Map<number, number>()
  const placeOf = (x: number): number => {
    const { left, width } = element.getBoundingClientRect()
    return Math.min(1, Math.max(0, (x - left) / width))
  }
  const showAt = (x: number): void => timeline.show(timeAt(timeline.window.value, placeOf(x)))

  element.addEventListener(
    'pointerdown',
    (event) => {
      if (event.button !== 0 || (event.target instanceof Element && event.target.closest('button'))) return
      fingers.set(event.pointerId, event.clientX)
      element.setPointerCapture(event.pointerId)
      if (fingers.size === 1) showAt(event.clientX)
    },
    { signal },
  )
  element.addEventListener(
    'pointermove',
    (event) => {
      if (!fingers.has(event.pointerId)) return
      if (fingers.size === 1) showAt(event.clientX)
      else pinch(event)
      fingers.set(event.pointerId, event.clientX)
    },
    { signal },
  )
  const pinch = ({ pointerId, clientX }: PointerEvent): void => {
    const [other = clientX] = [...fingers].flatMap(([id, x]) => (id === pointerId ? [] : [x]))
    const before = Math.abs((fingers.get(pointerId) ?? clientX) - other)
    const after = Math.abs(clientX - other)
    if (before > 0 && after > 0) timeline.zoom(before / after, placeOf((clientX + other) / 2))
  }
  for (const end of ['pointerup', 'pointercancel'] as const)
    element.addEventListener(
      end,
      ({ pointerId }) => {
        if (fingers.delete(pointerId) && fingers.size === 0) timeline.settle()
      },
      { signal },
    )
  element.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault()
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) timeline.pan(event.deltaX / element.clientWidth)
      else timeline.zoom(wheelZoom ** event.deltaY, placeOf(event.clientX))
    },
    { signal, passive: false },
  )
  return () => stop.abort()
}
