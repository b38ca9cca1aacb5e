import { effect, signal as signalOf, untracked } from '@preact/signals'
import { browserClock, browserRandom, fetchTransport } from '@strata/world/browser'
import { render } from 'preact'
import { followCluster } from './live/follow-cluster.ts'
import {
  actOnPlayground,
  followEvents,
  followPlayground,
  type PlaygroundOptions,
} from './live/follow-playground.ts'
import { joinWatches } from './live/join-watches.ts'
import { createRehearsalPlayer } from './live/play-rehearsals.ts'
import { createSessionClient } from './live/session-client.ts'
import type { FleetView } from './model/playground/fleet-view.ts'
import type { PlayedEvent } from './model/timeline/played-events.ts'
import type { Session, SessionState } from './session/session-state.ts'
import { SignIn } from './session/sign-in.ts'
import { type App, createApp, type Navigation, type PlaygroundControl } from './shell/app-context.ts'
import { Page } from './shell/page.tsx'
import { createThemeChoice } from './theme/theme-choice.ts'
import { views } from './views/index.ts'
import './theme/index.css'

const clock = browserClock
const forEver = new AbortController().signal
const sessionState = signalOf<SessionState>({ state: 'starting' })
const app = signalOf<App | undefined>(undefined)

const navigation: Navigation = {
  path: () => location.pathname,
  search: () => location.search,
  push: (path) => history.pushState(null, '', path),
  replace: (path) => history.replaceState(null, '', path),
}

/** The code must not stay in the address, from where it would get into the history and into copied links. */
function takeCode(): string | undefined {
  const [, code] = /^#code=([\w-]+)$/.exec(location.hash) ?? []
  if (code !== undefined) navigation.replace(`${location.pathname}${location.search}`)
  return code
}

const signIn = new SignIn({
  transport: fetchTransport,
  storage: sessionStorage,
  host: location.host,
  takeCode,
  show: (state) => (sessionState.value = state),
})

const motion = matchMedia('(prefers-reduced-motion: reduce)')

/** As many as the fleet remembers. */
const mostEvents = 1_000

function play(options: PlaygroundOptions, signal: AbortSignal): PlaygroundControl {
  const fleet = signalOf<FleetView | undefined>(undefined)
  const events = signalOf<readonly PlayedEvent[]>([])
  void followPlayground(options, (view) => (fleet.value = view), signal)
  void followEvents(options, (event) => (events.value = [...events.value, event].slice(-mostEvents)), signal)
  return { fleet, events, act: (action) => actOnPlayground(options, action, signal) }
}

function begin(session: Session): () => void {
  const transport = session.by === 'gateway' ? joinWatches(signIn.noticing, clock) : signIn.noticing
  const { token } = session
  const client = createSessionClient({ transport, clock, token })
  const stop = new AbortController()
  const playground = session.playground ? play({ clock, transport, token }, stop.signal) : undefined
  const rehearsals =
    session.by === 'gateway' ? createRehearsalPlayer({ transport, token }, stop.signal) : undefined
  const begun = createApp({
    ...{ session, clock, client, signal: stop.signal, views, navigation, playground, rehearsals },
    isMotionReduced: () => motion.matches,
  })
  const show = (observed: App['observed']['value']): void => {
    begun.observed.value = observed
  }
  void followCluster({ clock, random: browserRandom, transport, token, show }, stop.signal)
  const unfollow = begun.timeline.follow()
  const onPop = (): void => begun.readAddress()
  addEventListener('popstate', onPop)
  const tick = (): void => {
    if (stop.signal.aborted) return
    begun.tick()
    clock.after(1_000, tick)
  }
  tick()
  app.value = begun
  return () => {
    stop.abort(new Error('signed out'))
    unfollow()
    removeEventListener('popstate', onPop)
    app.value = undefined
  }
}

effect(() => {
  const { value: state } = sessionState
  return state.state === 'signed-in' ? untracked(() => begin(state.session)) : undefined
})

const theme = createThemeChoice({
  storage: localStorage,
  system: matchMedia('(prefers-color-scheme: dark)'),
  root: document.documentElement,
})

const root = document.querySelector('#page')
if (root !== null)
  render(
    <Page
      session={sessionState}
      app={app}
      theme={theme}
      actions={{
        withToken: (token) => void signIn.withToken(token, forEver),
        withCertificate: () => void signIn.withCertificate(forEver),
        askForLink: () => signIn.askForLink(forEver),
        signOut: () => void signIn.signOut(forEver),
        tryAgain: () => void signIn.start(forEver),
      }}
    />,
    root,
  )
void signIn.start(forEver)
