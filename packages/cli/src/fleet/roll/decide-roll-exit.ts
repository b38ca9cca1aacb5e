import type { FleetState, RollView } from '../state/fleet-state.ts'

/** What `strata roll` waits for. */
export type RollGoal = 'forward' | 'back' | 'pause'

/** The command ends with this exit code; undefined while it has to wait. */
export function decideRollExit(roll: RollView | null, goal: RollGoal): number | undefined {
  switch (roll?.state) {
    case undefined:
      return rollExits.failed
    case 'running':
    case 'going-back':
      return undefined
    case 'paused':
      // A pause in another terminal ends a command that wanted more.
      return goal === 'pause' ? rollExits.done : rollExits.paused
    case 'failed':
      return rollExits.failed
    case 'done':
      if (goal === 'pause') return rollExits.done
      return roll.direction === goal ? rollExits.done : rollExits.failed
  }
}

export const rollExits = { done: 0, failed: 1, paused: 3 } as const

/** What is new since the state before, in words. */
export function describeRoll({ roll, servers }: FleetState, before: FleetState | undefined): string[] {
  const moved = servers.flatMap((server) => {
    const earlier = before?.servers.find(({ name }) => name === server.name)
    if (!earlier || (earlier.state === server.state && earlier.message === server.message)) return []
    const why = server.message === undefined ? '' : `: ${server.message}`
    return [`${server.name} (${server.release}) is ${server.state}${why}`]
  })
  if (!roll) return moved
  const { state, step, of, message } = roll
  const goal = roll.direction === 'back' ? roll.from : roll.to
  const isNew =
    roll.state !== before?.roll?.state || message !== before.roll.message || step !== before.roll.step
  return isNew ? [...moved, `${state}, ${step} of ${of} run ${goal}: ${message}`] : moved
}

/** Told when a pause came while the last server was on its way: nothing was left to hold back. */
export const describeLatePause = (roll: RollView | null, goal: RollGoal): string | undefined =>
  goal === 'pause' && roll?.state === 'done'
    ? `too late to pause: the roll is done, all servers run ${roll.direction === 'back' ? roll.from : roll.to}`
    : undefined
