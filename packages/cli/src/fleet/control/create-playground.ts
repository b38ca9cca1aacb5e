import { badRequest } from '@strata/api'
import type { FleetServer } from '../processes/fleet-server.ts'
import type { Roller } from '../roll/roller.ts'
import type { FleetBoard } from '../state/fleet-board.ts'
import type { FleetEvent } from '../state/fleet-events.ts'
import type { FleetState } from '../state/fleet-state.ts'
import { decideRefusal } from './decide-refusal.ts'
import { type PlaygroundAction, readAction } from './read-action.ts'
import { describeSwitch } from './switch-storage-version.ts'

/** The parts of a fleet that actions move. */
export interface PlaygroundParts {
  readonly board: FleetBoard
  readonly servers: readonly FleetServer[]
  readonly roller: Roller
  /** Freezes a server, and makes sure that the others can still write. */
  freeze(server: FleetServer): Promise<void>
  setLoad(writesPerSecond: number): Promise<void>
  /** Returns the version before. */
  switchStorageVersion(crd: string, version: string): Promise<string>
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
  /**
   * Resolves once the action has begun; the state shows how it goes on. Throws an `ApiError` if it is refused.
   * Returns what a user should know about it, if the state does not show it.
   */
  act(body: unknown): Promise<string | undefined>
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
      return carryOut(action, parts)
    },
  }
}

type Switch = Extract<PlaygroundAction, { action: 'switch-storage-version' }>

async function switchStored({ crd, version }: Switch, parts: PlaygroundParts): Promise<string> {
  const message = describeSwitch(crd, await parts.switchStorageVersion(crd, version), version)
  parts.board.note([{ kind: 'storage-version-switched', message }])
  return message
}

async function carryOut(action: PlaygroundAction, parts: PlaygroundParts): Promise<string | undefined> {
  const { roller } = parts
  const server = (name: string): FleetServer => {
    const found = parts.servers.find((each) => each.name === name)
    if (!found) throw badRequest(`no server ${name}`)
    return found
  }
  switch (action.action) {
    case 'roll':
      roller.begin(action.to, { oneByOne: action.oneByOne ?? false })
      return undefined
    case 'pause':
      roller.pause()
      return undefined
    case 'resume':
      roller.resume({ oneByOne: action.oneByOne ?? false })
      return undefined
    case 'back':
      roller.back()
      return undefined
    case 'crash':
      await server(action.server).crash()
      return undefined
    case 'freeze':
      await parts.freeze(server(action.server))
      return undefined
    case 'thaw':
      server(action.server).thaw()
      return undefined
    case 'switch-storage-version':
      return switchStored(action, parts)
    case 'load':
      await parts.setLoad(action.writesPerSecond)
      return undefined
  }
}
