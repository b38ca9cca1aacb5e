import type { Signal } from '@preact/signals'
import type { SessionState } from '../session/session-state.ts'
import type { ThemeChoice } from '../theme/theme-choice.ts'
import type { App } from './app-context.ts'
import { AppContext } from './app-context.ts'
import { FleetPage } from './fleet-page.tsx'
import { Header } from './header.tsx'
import { type SignInActions, SignInPage } from './sign-in-page.tsx'

export interface PageProps {
  readonly session: Signal<SessionState>
  /** Set while somebody is signed in. */
  readonly app: Signal<App | undefined>
  readonly actions: SignInActions
  readonly theme: ThemeChoice
}

export const Page = ({ session, app: { value: app }, actions, theme }: PageProps) => {
  const { value: state } = session
  if (state.state === 'signed-in' && app)
    return (
      <AppContext.Provider value={app}>
        <FleetPage theme={theme} signOut={actions.signOut} />
      </AppContext.Provider>
    )
  return (
    <>
      <Header theme={theme} cluster="" />
      <SignInPage state={state} actions={actions} />
    </>
  )
}
