import type { Clock } from '@strata/world'
import type { FleetBoard } from '../state/fleet-board.ts'
import type { SceneView } from '../state/fleet-state.ts'

/** How often the command tells a scene that is playing, also when nothing changes: a user reads. */
export const tellEveryMs = 10_000
const untoldMs = 60_000

/** Shows scenes as their commands tell them. A command that was killed tells no end: its scene stops when it falls silent. */
export class SceneKeeper {
  readonly #board: FleetBoard
  readonly #clock: Clock
  readonly #expiries = new Map<string, () => void>()

  constructor(board: FleetBoard, clock: Clock) {
    this.#board = board
    this.#clock = clock
  }

  tell(view: SceneView): void {
    const { name, state } = view
    this.#expiries.get(name)?.()
    this.#expiries.delete(name)
    this.#board.changeScene(view)
    if (state !== 'playing') return
    const sentence = 'the command that played it has not been heard of for a minute'
    const stopped = { ...view, state: 'stopped', sentence } as const
    this.#expiries.set(
      name,
      this.#clock.after(untoldMs, () => this.#board.changeScene(stopped)),
    )
  }

  close(): void {
    for (const cancel of this.#expiries.values()) cancel()
  }
}
