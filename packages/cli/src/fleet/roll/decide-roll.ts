import type { ServerView } from '../state/fleet-state.ts'

/** What was asked for. It lives until the next roll, so that it can be gone back from. */
export interface Roll {
  /** The servers that take part, in the order of their names. */
  readonly servers: readonly string[]
  /** The release of each before the roll. */
  readonly before: Readonly<Record<string, string>>
  readonly to: string
  readonly direction: 'forward' | 'back'
  /** Pause after each server. */
  readonly oneByOne: boolean
  /** Pause before the next server. */
  readonly isPauseWanted: boolean
  /** Servers that were restarted since the roll began, or was resumed. */
  readonly restarted: number
}

export type RollStep =
  | { readonly do: 'restart'; readonly server: string; readonly release: string }
  | { readonly do: 'wait'; readonly because: string }
  | { readonly do: 'pause'; readonly because: string }
  | { readonly do: 'finish' }

type Seen = Pick<ServerView, 'name' | 'release' | 'state'>

/**
 * The next step of a rolling upgrade, or of the way back. One server at a time, and only while every other server answers:
 * clients of the server that is away need one to go to. A frozen server cannot be stopped in order, so it comes last, once it
 * is thawed; the others do not wait for it.
 */
export function decideRoll(roll: Roll, all: readonly Seen[]): RollStep {
  const inOrder = roll.direction === 'forward' ? roll.servers : roll.servers.toReversed()
  const servers = inOrder.flatMap((name) => all.find((each) => each.name === name) ?? [])
  // A server that was stopped when the way back began still has to be started.
  const isLeft = ({ name, release, state }: Seen): boolean =>
    release !== releaseOf(roll, name) || state === 'stopped'
  const left = servers.filter(isLeft)
  const next = left.find(({ state }) => state !== 'frozen')
  const busy = all.find((server) => server !== next && isBusy(server))
  if (next) {
    // It may yet be thawed, or be frozen and come last.
    if (next.state === 'freezing') return waitFor(next)
    // On the way back it may be the server that does not become ready with the new release.
    const isUnusable = next.state !== 'ready' && next.state !== 'stopped'
    if (isUnusable && roll.direction === 'forward') return waitFor(next)
    if (busy) return waitFor(busy)
    if (roll.isPauseWanted) return { do: 'pause', because: `before ${next.name}` }
    if (roll.oneByOne && roll.restarted > 0) return { do: 'pause', because: `${next.name} is next` }
    return { do: 'restart', server: next.name, release: releaseOf(roll, next.name) }
  }
  if (busy) return waitFor(busy)
  const [frozen] = left
  // It may stay frozen for ever, and who asks for a pause waits for it.
  if (frozen && roll.isPauseWanted) return { do: 'pause', because: `before ${frozen.name}` }
  return frozen
    ? { do: 'wait', because: `${frozen.name} is frozen: it is restarted once it is thawed` }
    : { do: 'finish' }
}

/** How far the roll is. */
export function countDone(roll: Roll, all: readonly Seen[]): { readonly step: number; readonly of: number } {
  const done = all.filter(
    ({ name, release, state }) =>
      roll.servers.includes(name) && release === releaseOf(roll, name) && state === 'ready',
  )
  return { step: done.length, of: roll.servers.length }
}

const releaseOf = ({ direction, before, to }: Roll, name: string): string =>
  direction === 'forward' ? to : (before[name] ?? to)

/** Neither ready nor frozen: it will be ready soon, or the roll fails by it. */
const isBusy = ({ state }: Seen): boolean => state !== 'ready' && state !== 'frozen'

const waitFor = ({ name, state }: Seen): RollStep => ({ do: 'wait', because: `${name} is ${state}` })
