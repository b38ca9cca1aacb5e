import type { WriteCounts } from '../../load/write-load.ts'
import type { FleetState, RollPhase } from '../../state/fleet-state.ts'
import type { Stage } from '../stage.ts'

/** Waits for the end of the roll, or for its pause. */
export async function untilRollIs(stage: Stage, phases: readonly RollPhase[]): Promise<FleetState> {
  for await (const state of stage.control.watch()) {
    const { roll } = state
    if (roll && phases.includes(roll.state)) return state
    if (roll?.state === 'failed') throw new Error(`the roll has failed: ${roll.message}`)
  }
  throw new Error('the fleet has stopped in the middle of the roll')
}

/** Each server returns to the release that it ran before, at the end of the scene. */
export async function beginRoll(
  stage: Stage,
  roll: { readonly to: string; readonly oneByOne?: boolean; readonly skipReleases?: boolean },
): Promise<void> {
  await stage.control.act({ action: 'roll', ...roll })
  stage.later(async (after) => {
    const { roll } = await after.control.read()
    if (!roll || (roll.state === 'done' && roll.direction === 'back')) return
    if (roll.state !== 'going-back') await after.control.act({ action: 'back' })
    await untilRollIs(after, ['done'])
  })
}

/** Clients that write, unless there are some already. */
export async function loadLater(stage: Stage, writesPerSecond: number): Promise<void> {
  const { load } = await stage.control.read()
  if (load && load.writesPerSecond > 0) return
  stage.later(async (after) => {
    await after.control.act({ action: 'load', writesPerSecond: 0 })
  })
  await stage.control.act({ action: 'load', writesPerSecond })
}

/** The numbers of the load once so many more writes are acknowledged. */
export function untilWritten(stage: Stage, more: number): Promise<WriteCounts> {
  let from: number | undefined
  return stage.until(`clients have written ${more} objects more`, async () => {
    const { load } = await stage.control.read()
    from ??= load?.written ?? 0
    return load && load.written >= from + more ? load : undefined
  })
}
