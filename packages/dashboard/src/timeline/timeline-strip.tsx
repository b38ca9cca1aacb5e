import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { spansOf } from '../model/timeline/migration-spans.ts'
import { placeEvents, placeSpans } from '../model/timeline/place-events.ts'
import { placeOf } from '../model/timeline/time-window.ts'
import { lanes } from '../model/timeline/timeline-event.ts'
import { useApp } from '../shell/app-context.ts'
import { BarView, MarkView } from './mark-view.tsx'
import { MomentBar } from './moment-bar.tsx'
import { PickedEvents } from './picked-events.tsx'
import { TimeAxis } from './time-axis.tsx'
import { useGestures } from './use-gestures.ts'

/** So far apart, in pixels, marks can be told from each other and be hit by a finger. */
const apartPx = 14
const titles = { servers: 'Servers', resources: 'Resources', migrations: 'Migrations', faults: 'Faults' }

/** What happened, under every view. A place on it shows the page as it was then. */
export const TimelineStrip = () => {
  const { timeline, migrations, liveMs } = useApp()
  const track = useRef<HTMLDivElement>(null)
  const width = useSignal(800)
  useEffect(() => {
    const { current } = track
    if (!current) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry) width.value = Math.max(1, entry.contentRect.width)
    })
    observer.observe(current)
    return () => observer.disconnect()
  }, [width])
  useGestures(track, timeline)
  const { value: window } = timeline.window
  const marks = placeEvents(timeline.events.value, window, apartPx / width.value)
  const bars = placeSpans(spansOf(migrations.value), window, liveMs.value)
  const { value: atMs } = timeline.atMs
  const now = placeOf(window, liveMs.value)
  return (
    <section class="timeline" aria-label="Timeline">
      <PickedEvents />
      <MomentBar />
      <div class="timeline-rows">
        <div class="lane-names" aria-hidden="true">
          {lanes.map((lane) => (
            <span key={lane}>{titles[lane]}</span>
          ))}
        </div>
        <div class="track" ref={track}>
          <TimeAxis window={window} width={width.value} />
          {now >= 0 && now <= 1 && <div class="now-line" style={{ left: percent(now) }} />}
          {lanes.map((lane) => (
            <ul key={lane} class={`lane lane-${lane}`} aria-label={titles[lane]}>
              {bars.map((bar) => bar.span.lane === lane && <BarView key={bar.span.id} bar={bar} />)}
              {marks.map((mark) => mark.lane === lane && <MarkView key={mark.id} mark={mark} />)}
            </ul>
          ))}
          {atMs !== undefined && (
            <div class="moment-line" style={{ left: percent(clamp(placeOf(window, atMs))) }} />
          )}
        </div>
      </div>
    </section>
  )
}

const percent = (place: number): string => `${(100 * place).toFixed(3)}%`
const clamp = (place: number): number => Math.min(1, Math.max(0, place))
