import { placeOf, spanOf, type TimeWindow, ticksOf } from '../model/timeline/time-window.ts'

const tickPx = 84

interface Props {
  readonly window: TimeWindow
  readonly width: number
}

export const TimeAxis = ({ window, width }: Props) => {
  const offsetMs = -new Date(window.fromMs).getTimezoneOffset() * 60_000
  const ticks = ticksOf(window, Math.max(2, Math.floor(width / tickPx)), offsetMs)
  const withSeconds = ticks.some((each) => each % 60_000 !== 0) || spanOf(window) < 60_000
  return (
    <div class="axis" aria-hidden="true">
      {ticks.map((each) => (
        <span key={each} class="tick num" style={{ left: `${(100 * placeOf(window, each)).toFixed(3)}%` }}>
          {clockTime(each, withSeconds)}
        </span>
      ))}
    </div>
  )
}

/** With its day if that is not the day of `nowMs`. */
export function dayTime(atMs: number, nowMs: number): string {
  const [day, today] = [atMs, nowMs].map((each) => new Date(each).toLocaleDateString())
  return day === today ? clockTime(atMs) : `${day} ${clockTime(atMs)}`
}

export function clockTime(atMs: number, withSeconds = true): string {
  const at = new Date(atMs)
  const parts = [at.getHours(), at.getMinutes(), ...(withSeconds ? [at.getSeconds()] : [])]
  return parts.map((each) => String(each).padStart(2, '0')).join(':')
}
