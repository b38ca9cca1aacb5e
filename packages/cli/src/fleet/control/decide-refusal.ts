import { ApiError } from '@strata/api'
import type { FleetState, RollPhase, ServerState } from '../state/fleet-state.ts'
import type { PlaygroundAction } from './read-action.ts'

const notFound = (message: string): ApiError => new ApiError(404, 'NotFound', message)
const conflict = (message: string): ApiError => new ApiError(409, 'Conflict', message)

/** More than one machine can write, or be asked to show. */
const mostWritesPerSecond = 1_000

/** Why the fleet cannot do this now; undefined if it can. */
export function decideRefusal(action: PlaygroundAction, state: FleetState): ApiError | undefined {
  switch (action.action) {
    case 'roll':
      return refuseRoll(action, state)
    case 'pause':
      return refusePhase(
        state,
        ['running', 'going-back'],
        'no roll is under way, so there is nothing to pause',
      )
    case 'resume':
      return refusePhase(state, ['paused', 'failed'], 'no roll is paused, so there is nothing to resume')
    case 'back':
      return refusePhase(
        state,
        ['running', 'paused', 'failed', 'done'],
        state.roll
          ? 'the roll is going back already'
          : 'there was no roll, so there is nothing to go back from',
      )
    case 'crash':
      return refuseServer(action, state, ['ready', 'starting', 'frozen', 'draining'])
    case 'freeze':
      return refuseServer(action, state, ['ready', 'starting'])
    case 'thaw':
      return refuseServer(action, state, ['frozen'])
    case 'load':
      return action.writesPerSecond > mostWritesPerSecond
        ? new ApiError(400, 'BadRequest', `at most ${mostWritesPerSecond} writes per second`)
        : undefined
    case 'switch-storage-version':
      return undefined
  }
}

/** A roll that is under way owns the servers. */
const isUnderWay = ({ roll }: FleetState): boolean =>
  roll?.state === 'running' || roll?.state === 'going-back'

function refuseRoll(
  { to, skipReleases }: Extract<PlaygroundAction, { action: 'roll' }>,
  state: FleetState,
): ApiError | undefined {
  const { releases, roll, servers } = state
  if (releases.length === 0)
    return conflict(
      'the kinds of this fleet have no releases: start it with --resources of a module that has, such as examples/lighthouse/resources.ts',
    )
  if (!releases.includes(to)) return notFound(`no kind has the release ${to}; known: ${releases.join(', ')}`)
  if (isUnderWay(state)) return conflict(`a roll to ${roll?.to} is under way: pause it, or go back, first`)
  if (roll?.state === 'paused' && roll.to !== to)
    return conflict(`a roll from ${roll.from} to ${roll.to} is paused: resume it, or go back, first`)
  if (servers.every(({ release }) => release === to)) return conflict(`every server runs ${to} already`)
  return skipReleases ? undefined : refuseSkip(to, state)
}

/** Each release reads what the next one and the one before write; further away that is not certain. */
function refuseSkip(to: string, { releases, servers }: FleetState): ApiError | undefined {
  for (const { name, release } of servers) {
    const from = releases.indexOf(release)
    const way = releases.indexOf(to) - from
    const next = releases[from + Math.sign(way)]
    if (from >= 0 && Math.abs(way) > 1)
      return conflict(
        `${name} runs ${release}, and a roll to ${to} skips ${next}: roll to ${next} first (strata roll --to ${next}), or insist with --skip-releases ("strata check --to ${to}" says whether ${to} reads what is stored)`,
      )
  }
  return undefined
}

function refusePhase(
  { roll }: FleetState,
  phases: readonly RollPhase[],
  otherwise: string,
): ApiError | undefined {
  return roll && phases.includes(roll.state) ? undefined : conflict(otherwise)
}

function refuseServer(
  { action, server: name }: { readonly action: string; readonly server: string },
  { servers }: FleetState,
  states: readonly ServerState[],
): ApiError | undefined {
  const server = servers.find((each) => each.name === name)
  if (!server)
    return notFound(
      `no server ${JSON.stringify(name)}; there are ${servers.map((each) => each.name).join(', ')}`,
    )
  return states.includes(server.state)
    ? undefined
    : conflict(`${name} is ${server.state}: ${action} needs a server that is ${states.join(' or ')}`)
}
