import { useApp } from '../shell/app-context.ts'
import { clockTime } from './time-axis.tsx'

/** The events of the mark that was clicked, over the strip so that nothing moves. */
export const PickedEvents = () => {
  const { picked } = useApp().timeline
  if (picked.value.length === 0) return null
  return (
    <section class="picked" aria-label="Events of the mark">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reached by keyboard */}
      <ul tabIndex={0}>
        {picked.value.toReversed().map(({ id, atMs, text }) => (
          <li key={id}>
            <time>{clockTime(atMs)}</time>
            <span>{text}</span>
          </li>
        ))}
      </ul>
      <button type="button" class="quiet square" aria-label="Close" onClick={() => (picked.value = [])}>
        ×
      </button>
    </section>
  )
}
