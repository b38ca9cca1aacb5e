import { useState } from 'preact/hooks'
import type { SessionState } from '../session/session-state.ts'

export interface SignInActions {
  readonly withToken: (token: string) => void
  readonly withCertificate: () => void
  readonly askForLink: () => Promise<void>
  readonly signOut: () => void
  readonly tryAgain: () => void
}

interface Props {
  readonly state: SessionState
  readonly actions: SignInActions
}

export const SignInPage = ({ state, actions }: Props) => (
  <main class="sign-in">
    <div class="sign-in-card">
      {state.state === 'unreachable' && (
        <>
          <h1>No answer</h1>
          <p>The program that serves this page does not answer: {state.problem}</p>
          <button type="button" onClick={actions.tryAgain}>
            Try again
          </button>
        </>
      )}
      {(state.state === 'starting' || state.state === 'signed-in') && <p class="muted">Connecting …</p>}
      {state.state === 'signed-out' && (
        <>
          <h1>Sign in</h1>
          <p class="problem" role="alert">
            {state.problem ?? ''}
          </p>
          {state.by === 'server' ? <WithToken actions={actions} /> : <WithLink actions={actions} />}
        </>
      )}
    </div>
  </main>
)

const WithToken = ({ actions }: Pick<Props, 'actions'>) => {
  const [token, setToken] = useState('')
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          actions.withToken(token)
        }}
      >
        <label for="token">Bearer token</label>
        <input
          id="token"
          type="password"
          autocomplete="off"
          spellcheck={false}
          value={token}
          onInput={({ currentTarget }) => setToken(currentTarget.value)}
        />
        <button type="submit" class="primary" disabled={token.trim() === ''}>
          Sign in
        </button>
      </form>
      <p class="muted">
        <code>kubectl create token NAME</code> prints one for a service account. This tab keeps it, and sends
        it to this server only.
      </p>
      <p>
        <button type="button" onClick={actions.withCertificate}>
          Use the client certificate of this browser
        </button>
      </p>
    </>
  )
}

const WithLink = ({ actions }: Pick<Props, 'actions'>) => {
  const [said, setSaid] = useState('')
  const ask = (): void => {
    actions.askForLink().then(
      () => setSaid('The terminal shows a new link.'),
      () => setSaid('The dashboard does not answer. Is it still running?'),
    )
  }
  return (
    <>
      <p>
        Open the link that the terminal of <code>strata dashboard</code> or <code>strata up</code> shows. It
        signs in once, within two minutes.
      </p>
      <button type="button" class="primary" onClick={ask}>
        Show a new link in the terminal
      </button>
      <p class="muted" role="status">
        {said}
      </p>
    </>
  )
}
