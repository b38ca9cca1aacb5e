import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useApp } from './app-context.ts'

interface Props {
  readonly title: ComponentChildren
  readonly label: string
  readonly children: ComponentChildren
}

/** What a row opens, beside the view: the view stays where it was. Esc closes it, and so does the address of the view. */
export const Drawer = ({ title, label, children }: Props) => {
  const { go } = useApp()
  const box = useRef<HTMLElement>(null)
  useEffect(() => box.current?.focus({ preventScroll: true }), [])
  return (
    <aside class="drawer" aria-label={label} tabIndex={-1} ref={box}>
      <header class="drawer-head">
        <h2>{title}</h2>
        <button type="button" class="quiet square" aria-label="Close" onClick={() => go({ item: undefined })}>
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d="M3.5 3.5l9 9M12.5 3.5l-9 9" stroke="currentColor" stroke-width="1.6" fill="none" />
          </svg>
        </button>
      </header>
      {children}
    </aside>
  )
}
