import type { ComponentChildren } from 'preact'
import type { Route } from '../model/routes.ts'
import { useApp } from './app-context.ts'

interface Props {
  readonly to: Partial<Route>
  readonly children: ComponentChildren
  readonly class?: string
  readonly title?: string | undefined
  readonly 'aria-current'?: 'page' | undefined
  readonly 'aria-label'?: string
  readonly tabIndex?: number
  readonly 'data-cell'?: boolean
}

/** An address of the page. It can be copied and opened in another tab like any other. */
export const Link = ({ to, children, ...rest }: Props) => {
  const app = useApp()
  return (
    <a
      {...rest}
      href={app.pathTo(to)}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
        event.preventDefault()
        app.go(to)
      }}
    >
      {children}
    </a>
  )
}
