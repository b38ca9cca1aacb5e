import { useEffect, useRef } from 'preact/hooks'
import { useApp } from './app-context.ts'

const keys = [
  ['arrows', 'move through the matrix; Enter opens a record'],
  ['/', 'filter resources'],
  ['← →', 'rehearsal: the step before, and the next one'],
  ['[', 'timeline: the event before'],
  [']', 'timeline: the event after'],
  ['n', 'timeline: back to now'],
  ['+ −', 'timeline: less or more time; also the wheel'],
  ['Esc', 'close what is open'],
  ['?', 'this help'],
] as const

/** Keys, and what the marks mean. */
export const Help = () => {
  const { isHelpOpen, views } = useApp()
  const dialog = useRef<HTMLDialogElement>(null)
  const isOpen = isHelpOpen.value
  useEffect(() => {
    if (isOpen) dialog.current?.showModal()
    else dialog.current?.close()
  }, [isOpen])
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={() => (isHelpOpen.value = false)}>
      <h2 id="help-title">Help</h2>
      <h3>What is shown</h3>
      <p>
        Objects are stored in versions, in layers: a new release writes a new layer over the old ones. The
        servers of a fleet have to agree on the version that they write. Each version of a resource has one
        colour on the whole page; old layers are hatched.
      </p>
      <h3>Keys</h3>
      <dl>
        {views.map(({ name, title, letter }) => (
          <div key={name}>
            <dt>
              <kbd>g</kbd> <kbd>{letter}</kbd>
            </dt>
            <dd>{title}</dd>
          </div>
        ))}
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit" class="primary">
          Close
        </button>
      </form>
    </dialog>
  )
}
