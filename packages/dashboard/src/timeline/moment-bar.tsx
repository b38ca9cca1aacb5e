import { useApp } from '../shell/app-context.ts'
import { dayTime } from './time-axis.tsx'

/** Says which moment the page shows, and leads back to now. */
export const MomentBar = () => {
  const { timeline, liveMs } = useApp()
  const told = (ms: number): string => dayTime(ms, liveMs.value)
  const { value: atMs } = timeline.atMs
  return (
    <div class="moment-bar">
      <h2>Timeline</h2>
      <p class="moment" role="status">
        {atMs === undefined ? (
          <span class="muted">now</span>
        ) : timeline.isUnknown.value ? (
          <>
            This page has not seen <time>{told(atMs)}</time>: it was opened later. Only a page that was open
            then can show it. You see now.
          </>
        ) : timeline.seenMs.value !== undefined ? (
          <>
            You see <time>{told(timeline.seenMs.value)}</time>, the last that this page saw before{' '}
            <time>{told(atMs)}</time>
          </>
        ) : (
          <>
            You see <time>{told(atMs)}</time>
          </>
        )}
      </p>
      {atMs !== undefined && (
        <button type="button" class="primary" onClick={() => timeline.open(undefined)}>
          Back to now
        </button>
      )}
      <span class="moment-keys">
        <button type="button" class="quiet square" aria-label="Earlier" onClick={() => timeline.pan(-0.5)}>
          ‹
        </button>
        <button type="button" class="quiet square" aria-label="Later" onClick={() => timeline.pan(0.5)}>
          ›
        </button>
        <button
          type="button"
          class="quiet square"
          aria-label="Show more time"
          onClick={() => timeline.zoom(2, 0.5)}
        >
          −
        </button>
        <button
          type="button"
          class="quiet square"
          aria-label="Show less time"
          onClick={() => timeline.zoom(0.5, 0.5)}
        >
          +
        </button>
      </span>
    </div>
  )
}
