import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { StorageAgreement } from '@strata/api'
import { groupResourceText } from '@strata/api'
import type { Client } from '@strata/client'
import { decideHeadline, type FleetStatus, type Headline, type MigrationView, viewOf } from '@strata/insight'
import type { Clock } from '@strata/world'
import { createContext, type FunctionComponent } from 'preact'
import { useContext } from 'preact/hooks'
import { CensusTaker } from '../live/census-taker.ts'
import { nothingObserved, type Observed } from '../live/observed.ts'
import type { RehearsalPlayer } from '../live/play-rehearsals.ts'
import { decideSight, type PageSight } from '../model/decide-sight.ts'
import { statusOf } from '../model/fleet-facts.ts'
import { isEqual } from '../model/keep-equal.ts'
import type { FleetView, PlayedAction } from '../model/playground/fleet-view.ts'
import { type Route, readRoute, routePath } from '../model/routes.ts'
import { keepPlaces, type ServerPlace } from '../model/server-places.ts'
import type { PlayedEvent } from '../model/timeline/played-events.ts'
import { VersionColours } from '../model/version-colours.ts'
import type { Session } from '../session/session-state.ts'
import { Timeline } from '../timeline/timeline-state.ts'
import { RehearsalDesk } from '../views/rehearsal/rehearsal-desk.ts'

/** One view: a tab, and what is below it. Each has a folder of its own in `views/`. */
export interface View {
  /** The first part of its address. */
  readonly name: string
  readonly title: string
  /** `g` and this letter open it. */
  readonly letter: string
  readonly Panel: FunctionComponent
  /** Left out: in every session. */
  readonly isOffered?: (session: Session) => boolean
  /** Shown whatever can be seen of the cluster. */
  readonly needsNoFleet?: boolean
}

/** The address bar. */
export interface Navigation {
  readonly path: () => string
  readonly search: () => string
  readonly push: (path: string) => void
  readonly replace: (path: string) => void
}

/** What every part of the signed-in page shares. Views read signals, so that a change draws only what shows it. */
export interface App {
  readonly session: Session
  readonly clock: Clock
  /** With the credentials of the session, for what a view asks on demand. */
  readonly client: Client
  /** Ends with the session. */
  readonly signal: AbortSignal
  readonly views: readonly View[]
  readonly colours: VersionColours
  /** What is so now, by watch. */
  readonly observed: Signal<Observed>
  /** A moment of the past that is shown instead. */
  readonly moment: ReadonlySignal<Observed | undefined>
  /** What happened, and which moment is shown. */
  readonly timeline: Timeline
  /** What is shown: the moment, or now. */
  readonly shown: ReadonlySignal<Observed>
  readonly sight: ReadonlySignal<PageSight>
  readonly status: ReadonlySignal<FleetStatus>
  /** The servers, and those that have just left. */
  readonly places: ReadonlySignal<readonly ServerPlace[]>
  readonly headline: ReadonlySignal<Headline>
  /** Records by resource. */
  readonly records: ReadonlySignal<ReadonlyMap<string, StorageAgreement>>
  readonly migrations: ReadonlySignal<readonly MigrationView[]>
  /** Counts of stored objects, which no watch tells. */
  readonly census: CensusTaker
  /** The time that ages are counted to. Renewed every second. */
  readonly nowMs: ReadonlySignal<number>
  /** The time, whatever is shown. */
  readonly liveMs: ReadonlySignal<number>
  readonly route: ReadonlySignal<Route>
  /** Resources whose name contains it are shown. In the address, as `filter`. */
  readonly filter: ReadonlySignal<string>
  /** The fleet of `strata up`, and what can be done with it. Undefined elsewhere. */
  readonly playground: PlaygroundControl | undefined
  /** What is rehearsed. It has nothing to do with the cluster. */
  readonly rehearsal: RehearsalDesk
  readonly isHelpOpen: Signal<boolean>
  go(to: Partial<Route>): void
  pathTo(to: Partial<Route>): string
  setFilter(text: string): void
  /** The address was changed by the browser. */
  readAddress(): void
  /** Time goes on. */
  tick(): void
}

export interface PlaygroundControl {
  readonly fleet: ReadonlySignal<FleetView | undefined>
  /** What has happened to it. */
  readonly events: ReadonlySignal<readonly PlayedEvent[]>
  /** Throws the reason of the fleet if it is refused. */
  act(action: PlayedAction): Promise<void>
}

export interface AppParts {
  readonly playground: PlaygroundControl | undefined
  /** Undefined where nothing plays rehearsals. */
  readonly rehearsals: RehearsalPlayer | undefined
  /** The user wants nothing to move by itself. */
  readonly isMotionReduced: () => boolean
  readonly session: Session
  readonly clock: Clock
  readonly client: Client
  /** Ends with the session. */
  readonly signal: AbortSignal
  readonly views: readonly View[]
  readonly navigation: Navigation
}

export function createApp(parts: AppParts): App {
  const { session, clock, client, signal: stop, views: all, navigation } = parts
  const { playground, rehearsals, isMotionReduced } = parts
  const views = all.filter(({ isOffered }) => isOffered?.(session) ?? true)
  const names = views.map(({ name }) => name)
  const read = (): Route => readRoute(navigation.path(), navigation.search(), names)
  const colours = new VersionColours()
  const observed = signal(nothingObserved)
  const moment = signal<Observed | undefined>(undefined)
  const wallMs = signal(clock.wallMs())
  const route = signal(read())
  const shown = computed(() => moment.value ?? observed.value)
  const nowMs = computed(() => moment.value?.atMs ?? wallMs.value)
  const records = computed(() => {
    const found = shown.value.records.objects
    learnColours(colours, found)
    return new Map(found.map((each) => [groupResourceText(each.spec), each]))
  })
  const status = computed(() => {
    records.value
    return statusOf(shown.value, nowMs.value)
  })
  const pathTo = (to: Partial<Route>): string => {
    const { view, item, query } = { ...route.value, item: undefined, ...to }
    return routePath({ view, item, query })
  }
  const setQuery = (name: string, value: string | undefined): void => {
    const { [name]: _, ...query } = route.value.query
    const { item } = route.value
    navigation.replace(pathTo({ item, query: value === undefined ? query : { ...query, [name]: value } }))
    route.value = read()
  }
  const timeline = new Timeline({
    ...{ observed, moment, nowMs: wallMs, played: playground?.events ?? signal([]) },
    onSettled: (atMs) => setQuery('at', atMs === undefined ? undefined : new Date(atMs).toISOString()),
  })
  timeline.show(momentOf(route.value))
  return {
    playground,
    ...{
      session,
      clock,
      client,
      signal: stop,
      views,
      colours,
      observed,
      moment,
      timeline,
      shown,
      status,
      records,
      places: rememberPlaces({ status, nowMs, moment }),
      nowMs,
      liveMs: wallMs,
      route,
      pathTo,
    },
    census: new CensusTaker({
      ...{ client, clock, signal: stop },
      isOffered: () => observed.value.served?.has('storagecensuses.strata.dev') !== false,
    }),
    rehearsal: new RehearsalDesk({ clock, colours, player: rehearsals, isMotionReduced }),
    migrations: computed(() => {
      const { versioned, plain } = shown.value
      return [
        ...versioned.objects.map((each) => viewOf('migration.k8s.io', each)),
        ...plain.objects.map((each) => viewOf('storagemigration.k8s.io', each)),
      ]
    }),
    sight: computed(() => decideSight(shown.value)),
    headline: computed(() => decideHeadline(status.value)),
    filter: computed(() => route.value.query.filter ?? ''),
    isHelpOpen: signal(false),
    go: (to) => {
      navigation.push(pathTo(to))
      route.value = read()
    },
    setFilter: (text) => setQuery('filter', text === '' ? undefined : text),
    readAddress: () => {
      route.value = read()
      timeline.show(momentOf(route.value))
    },
    tick: () => (wallMs.value = clock.wallMs()),
  }
}

function rememberPlaces({ status, nowMs, moment }: Pick<App, 'status' | 'nowMs' | 'moment'>): App['places'] {
  let last: readonly ServerPlace[] = []
  return computed(() => {
    const { servers } = status.value
    if (moment.value !== undefined) return servers.map((server) => ({ server, leftMs: undefined }))
    const next = keepPlaces(last, servers, nowMs.value)
    if (!isEqual(last, next)) last = next
    return last
  })
}

/** The moment that the address names; undefined: now. */
function momentOf({ query: { at = '' } }: Route): number | undefined {
  const atMs = Date.parse(at)
  return Number.isNaN(atMs) ? undefined : atMs
}

/** All that a record names, so that the order in which views ask does not decide about colours. */
function learnColours(colours: VersionColours, records: readonly StorageAgreement[]): void {
  for (const { spec, status } of records) {
    colours.learn(groupResourceText(spec), [
      ...status.servers.flatMap(({ encodingVersion, decodableVersions }) => [
        encodingVersion,
        ...decodableVersions,
      ]),
      ...(status.persisted ?? []).map(({ encodingVersion }) => encodingVersion),
    ])
  }
}

export const AppContext = createContext<App | undefined>(undefined)

export function useApp(): App {
  const app = useContext(AppContext)
  if (!app) throw new Error('no app: this part of the page is drawn only when the user is signed in')
  return app
}
