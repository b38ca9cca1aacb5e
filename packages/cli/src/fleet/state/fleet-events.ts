import type { FleetState, RollView, SceneView, ServerState, ServerView } from './fleet-state.ts'

/**
 * What happened to a fleet, for its timeline: `GET /playground/v1/events` sends them as JSON. Fields and kinds are only added.
 * What the servers agree on is in the objects of the API, and not here.
 */
export interface FleetEvent {
  /** Counts from 1 in each run of `strata up`. */
  readonly number: number
  /** With milliseconds. */
  readonly time: string
  readonly kind: FleetEventKind
  /** The server that it happened to; absent if it is about the fleet. */
  readonly server?: string
  /** The release that the server runs, or that the roll goes to. */
  readonly release?: string
  /** One sentence without its full stop, for people. */
  readonly message: string
}

/**
 * `leaving`: a server finishes its requests. `left`: its process has ended as it was asked to. `thawed`: it goes on where it was
 * frozen, and is `ready` once it is registered.
 */
export type FleetEventKind =
  | 'started'
  | 'ready'
  | 'leaving'
  | 'left'
  | 'crashed'
  | 'frozen'
  | 'thawed'
  | 'roll-began'
  | 'roll-paused'
  | 'roll-went-back'
  | 'roll-done'
  | 'roll-failed'
  | 'load-changed'
  | 'storage-version-switched'
  | 'scene-began'
  | 'scene-ended'

export type NewFleetEvent = Omit<FleetEvent, 'number' | 'time'>

/** What happened between two states of a fleet. */
export function describeEvents(before: FleetState, after: FleetState): readonly NewFleetEvent[] {
  const ofServers = after.servers.flatMap((server) => {
    const earlier = before.servers.find(({ name }) => name === server.name)
    return earlier && earlier.state !== server.state ? ofServer(earlier, server) : []
  })
  return [
    ...ofServers,
    ...ofRoll(before.roll, after.roll),
    ...ofLoad(before, after),
    ...ofScenes(before.scenes, after.scenes),
  ]
}

const kindOf: Readonly<Record<Exclude<ServerState, 'starting' | 'freezing'>, FleetEventKind>> = {
  ready: 'ready',
  draining: 'leaving',
  stopped: 'left',
  crashed: 'crashed',
  frozen: 'frozen',
}

function ofServer(before: ServerView, { name, release, state, message }: ServerView): NewFleetEvent[] {
  // It may be taken back: then nothing has happened.
  if (state === 'freezing' || (state === 'starting' && before.state === 'freezing')) return []
  const kind = state === 'starting' ? (before.state === 'frozen' ? 'thawed' : 'started') : kindOf[state]
  const why = message === undefined ? '' : `: ${message}`
  return [{ kind, server: name, release, message: `${name} (${release}) ${verbOf[kind]}${why}` }]
}

const verbOf: Readonly<Partial<Record<FleetEventKind, string>>> = {
  started: 'starts',
  ready: 'is ready',
  leaving: 'finishes its requests and leaves',
  left: 'has left',
  crashed: 'has crashed',
  frozen: 'is frozen',
  thawed: 'is thawed',
}

function ofRoll(before: RollView | null, after: RollView | null): NewFleetEvent[] {
  if (!after || (before?.state === after.state && before.to === after.to)) return []
  const { from, to, step, of, message } = after
  const release = after.direction === 'back' ? from : to
  const text: Readonly<Record<RollView['state'], readonly [FleetEventKind, string]>> = {
    running: ['roll-began', `the servers go from ${from} to ${to}`],
    paused: ['roll-paused', `the roll pauses, ${step} of ${of} run ${release}: ${message}`],
    'going-back': ['roll-went-back', `the servers go back from ${to} to ${from}`],
    done: ['roll-done', `the roll is done: ${message}`],
    failed: ['roll-failed', `the roll has failed, ${step} of ${of} run ${release}: ${message}`],
  }
  const [kind, said] = text[after.state]
  return [{ kind, release, message: said }]
}

function ofLoad({ load: before }: FleetState, { load: after }: FleetState): NewFleetEvent[] {
  const rate = after?.writesPerSecond ?? 0
  if ((before?.writesPerSecond ?? 0) === rate) return []
  const message = rate === 0 ? 'the load has ended' : `clients write ${rate} times per second`
  return [{ kind: 'load-changed', message }]
}

function ofScenes(before: readonly SceneView[], after: readonly SceneView[]): NewFleetEvent[] {
  return after.flatMap((scene): NewFleetEvent[] => {
    const { name, title, state, sentence } = scene
    const was = before.find((each) => each.name === name)?.state
    if (state === was) return []
    return state === 'playing'
      ? [{ kind: 'scene-began', message: `the scene "${title}" begins` }]
      : [{ kind: 'scene-ended', message: `the scene "${title}" has ended, ${state}: ${sentence}` }]
  })
}
