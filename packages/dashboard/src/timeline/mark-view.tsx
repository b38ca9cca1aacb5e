import { type Bar, type Mark, toneOfMark } from '../model/timeline/place-events.ts'
import { useApp } from '../shell/app-context.ts'
import { clockTime } from './time-axis.tsx'

/** More lines than this in a tip are more than one reads. */
const mostLines = 6

/** One or more events. A click shows the page as it was just after the last of them, and lists them. */
export const MarkView = ({ mark: { events, place } }: { readonly mark: Mark }) => {
  const { timeline, colours } = useApp()
  const [{ layer } = {}] = events.length === 1 ? events : []
  const colour = layer ? ` layer-${colours.of(layer.resource, layer.version)}` : ''
  const lines = events.slice(-mostLines).map(({ atMs, text }) => `${clockTime(atMs)} ${text}`)
  const more = events.length > mostLines ? [`and ${events.length - mostLines} before`] : []
  const count = events.length > 1 ? `${events.length} events: ` : ''
  return (
    <li class="mark-place" style={{ left: `${(100 * place).toFixed(3)}%` }}>
      <button
        type="button"
        class={`event tone-${toneOfMark(events)}${colour}`}
        title={[...lines, ...more].join('\n')}
        aria-label={`${count}${[...lines, ...more].join('; ')}`}
        onClick={() => timeline.pick(events)}
      >
        {events.length > 1 ? events.length : ''}
      </button>
    </li>
  )
}

export const BarView = ({ bar: { span, from, to } }: { readonly bar: Bar }) => {
  const { colours } = useApp()
  const { layer, text, tone, toMs } = span
  const colour = layer ? ` layer-${colours.of(layer.resource, layer.version)}` : ''
  const style = { left: `${(100 * from).toFixed(3)}%`, width: `${(100 * (to - from)).toFixed(3)}%` }
  return (
    <li
      class={`span tone-${tone}${colour}${toMs === undefined ? ' span-open' : ''}`}
      style={style}
      title={text}
    >
      <span class="span-text">{text}</span>
    </li>
  )
}
