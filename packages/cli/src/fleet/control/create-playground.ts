import { badRequest } from '@strata/api'
import type { FleetServer } from '../processes/fleet-server.ts'
import type { Roller } from '../roll/roller.ts'
import type { FleetBoard } from '../state/fleet-board.ts'
import type { FleetEvent } from '../state/fleet-events.ts'
import type { FleetState } from '../state/fleet-state.ts'
import { decideRefusal } from './decide-refusal.ts'
import { type PlaygroundAction, readAction } from './read-action.ts'

/** The parts of a fleet that actions move. */
export interface PlaygroundParts {
  readonly board: FleetBoard
  readonly servers: readonly FleetServer[]
  readonly roller: Roller
  /** Freezes a server, and makes sure that the others can still write. */
  freeze(server: FleetServer): Promise<void>
  setLoad(writesPerSecond: number): Promise<void>
  switchStorageVersion(crd: string, version: string): Promise<void>
}

/** What a user can do to a running fleet, from the dashboard or by command. */
export interface Playground {
  readonly state: FleetState
  /** The present state, then each newer one. */
  watch(signal: AbortSignal): AsyncIterable<FleetState>
  /** What has happened after the event with this number, the latest only. */
  events(after: number): readonly FleetEvent[]
  /** The same, then each event when it happens. */
  watchEvents(after: number, signal: AbortSignal): AsyncIterable<FleetEvent>
  /** Resolves once the action has begun; the state shows how it goes on. Throws an `ApiError` if it is refused. */
  act(body: unknown): Promise<void>
}

export function createPlayground(parts: PlaygroundParts): Playground {
  const { board } = parts
  return {
    get state() {
      return board.state
    },
    watch: (signal) => board.watch(signal),
    events: (after) => board.events(after),
    watchEvents: (after, signal) => board.watchEvents(after, signal),
    act: async (body) => {
      const action = readAction(body)
      if ('problem' in action) throw badRequest(action.problem)
      const refusal = decideRefusal(action, board.state)
      if (refusal) throw refusal
      await carryOut(action, parts)
    },
  }
}

async function carryOut(action: PlaygroundAction, parts: PlaygroundParts): Promise<void> {
  const { roller, board } = parts
  const server = (name: string): FleetServer => {
    const found = parts.servers.find((each) => each.name === name)
    if (!found) throw badRequest(`no server ${name}`)
    return found
  }
  switch (action.action) {
    case 'roll':
      return roller.begin(action.to, { oneByOne: action.oneByOne ?? false })
    case 'pause':
      return roller.pause()
    case 'resume':
      return roller.resume({ oneByOne: action.oneByOne ?? false })
    case 'back':
      return roller.back()
    case 'crash':
      return server(action.server).crash()
    case 'freeze':
      return parts.freeze(server(action.server))
    case 'thaw':
      return server(action.server).thaw()
    case 'switch-storage-version': {
      const { crd, version } = action
      await parts.switchStorageVersion(crd, version)
      const message = `objects of ${crd} are stored in ${version} from now on`
      return board.note([{ kind: 'storage-version-switched', message }])
    }
    case 'load':
      return parts.setLoad(action.writesPerSecond)
  }
}
