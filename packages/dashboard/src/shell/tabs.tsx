import { useEffect, useRef } from 'preact/hooks'
import { useApp } from './app-context.ts'
import { Link } from './link.tsx'

export const Tabs = () => {
  const { views, route } = useApp()
  const nav = useRef<HTMLElement>(null)
  const { view } = route.value
  useEffect(() => {
    // On a phone there are more tabs than are seen.
    const tab = nav.current?.querySelector<HTMLElement>(`[href*="/${view}"]`)
    tab?.parentElement?.scrollTo({ left: tab.offsetLeft - tab.parentElement.offsetLeft - tab.offsetWidth })
  }, [view])
  return (
    <nav ref={nav} class="tabs" aria-label="Views">
      {views.map(({ name, title, letter }) => (
        <Link
          key={name}
          to={{ view: name }}
          class="tab"
          aria-current={view === name ? 'page' : undefined}
          title={`${title} (g ${letter})`}
        >
          {title}
        </Link>
      ))}
    </nav>
  )
}
