import type { ThemeChoice } from '../theme/theme-choice.ts'
import { Logo } from './logo.tsx'

export interface HeaderProps {
  readonly cluster: string
  readonly user?: string
  readonly signOut?: () => void
  readonly showHelp?: () => void
  readonly theme: ThemeChoice
}

export const Header = ({ cluster, user, signOut, showHelp, theme }: HeaderProps) => (
  <header class="header">
    <Logo />
    <span class="header-name">Strata</span>
    {cluster !== '' && <span class="header-cluster">{cluster}</span>}
    <span class="header-space" />
    {user !== undefined && (
      <span class="header-user">{user === '' ? 'signed in' : `signed in as ${user}`}</span>
    )}
    {signOut && (
      <button type="button" class="quiet" onClick={signOut}>
        Sign out
      </button>
    )}
    {showHelp && (
      <button type="button" class="quiet square" onClick={showHelp} aria-label="Help" title="Help (?)">
        ?
      </button>
    )}
    <ThemeSwitch theme={theme} />
  </header>
)

const names = { light: 'light colours', dark: 'dark colours' } as const

const ThemeSwitch = ({ theme }: { readonly theme: ThemeChoice }) => {
  const next = theme.shown.value === 'dark' ? 'light' : 'dark'
  return (
    <button
      type="button"
      class="quiet square"
      onClick={() => theme.choose(next)}
      aria-label={`Use ${names[next]}`}
      title={`Use ${names[next]}`}
    >
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <circle cx="8" cy="8" r="6.25" fill="none" stroke="currentColor" stroke-width="1.5" />
        <path d="M8 1.75a6.25 6.25 0 0 1 0 12.5z" fill="currentColor" />
      </svg>
    </button>
  )
}
