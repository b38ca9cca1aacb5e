import type { CliContext } from '../../context.ts'
import { CliError } from '../../output/errors.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { isConfirmed } from '../../output/is-confirmed.ts'
import type { FleetControl } from '../control/control-client.ts'
import type { FleetState } from '../state/fleet-state.ts'
import {
  decideRollExit,
  describeLatePause,
  describeRoll,
  type RollGoal,
  rollExits,
} from './decide-roll-exit.ts'

/** Prints what the roll does, until it has reached the goal, failed or paused. Asks at each pause if `asks` is set. */
export async function followRoll(
  control: FleetControl,
  { goal, asks }: { readonly goal: RollGoal; readonly asks: boolean },
  context: CliContext,
): Promise<{ readonly exit: number; readonly state: FleetState }> {
  let before: FleetState | undefined
  try {
    for await (const state of control.watch()) {
      for (const line of describeRoll(state, before)) context.warn?.(line)
      before = state
      const exit = decideRollExit(state.roll, goal)
      if (exit === undefined) continue
      const late = describeLatePause(state.roll, goal)
      if (late !== undefined) context.warn?.(late)
      if (exit !== rollExits.paused || !asks) return { exit, state }
      if (!(await isConfirmed(context, `Go on (${state.roll?.message})?`))) return { exit, state }
      await control.act({ action: 'resume', oneByOne: true })
    }
  } catch (error) {
    if (!context.signal.aborted) throw error
    throw new CliError('stopped; the roll goes on: "strata roll --pause" stops it', exitCodes.stopped)
  }
  throw new CliError('the fleet has stopped in the middle of the roll', exitCodes.notSeen)
}
