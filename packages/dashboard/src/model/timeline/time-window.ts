/** The part of the time that the timeline shows. */
export interface TimeWindow {
  readonly fromMs: number
  readonly toMs: number
}

const shortestMs = 10_000
const longestMs = 24 * 3_600_000
/** Room between now and the right edge, as part of the whole. */
const margin = 0.02

/** The window that ends now. */
export function windowUpTo(nowMs: number, spanMs: number): TimeWindow {
  const toMs = nowMs + spanMs * margin
  return { fromMs: toMs - spanMs, toMs }
}

export const spanOf = ({ fromMs, toMs }: TimeWindow): number => toMs - fromMs

/** Where a time is in the window: 0 at the left edge, 1 at the right one. */
export const placeOf = (window: TimeWindow, atMs: number): number => (atMs - window.fromMs) / spanOf(window)

export const timeAt = (window: TimeWindow, place: number): number => window.fromMs + place * spanOf(window)

/** A factor below 1 shows less time, in which things are further apart. The time at `place` stays where it is. */
export function zoom(window: TimeWindow, factor: number, place: number): TimeWindow {
  const span = Math.min(longestMs, Math.max(shortestMs, spanOf(window) * factor))
  const fromMs = timeAt(window, place) - place * span
  return { fromMs, toMs: fromMs + span }
}

/** Moves by a part of what is shown; never into the future. */
export function pan(window: TimeWindow, part: number, nowMs: number): TimeWindow {
  const newest = windowUpTo(nowMs, spanOf(window))
  const by = Math.min(part * spanOf(window), newest.toMs - window.toMs)
  return { fromMs: window.fromMs + by, toMs: window.toMs + by }
}

/** The same span around a time that is not in the window; never into the future. One that is in it moves nothing. */
export function around(window: TimeWindow, atMs: number, nowMs: number): TimeWindow {
  const place = placeOf(window, atMs)
  return place >= 0 && place <= 1 ? window : pan(window, place - 0.5, nowMs)
}

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const steps = [
  ...[1, 2, 5, 10, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 30].map((count) => count * minute),
  ...[1, 2, 6, 12].map((count) => count * hour),
]

/** Round times, at most as many as have room. */
export function ticksOf(window: TimeWindow, most: number, offsetMs = 0): readonly number[] {
  const step = steps.find((each) => spanOf(window) / each <= most) ?? 24 * hour
  const first = Math.ceil((window.fromMs + offsetMs) / step) * step - offsetMs
  const count = Math.max(0, Math.floor((window.toMs - first) / step) + 1)
  return Array.from({ length: count }, (_, index) => first + index * step)
}
