import { sleep } from '@strata/world'
import { nodeClock } from '@strata/world/node'
import type { FaultContext } from './fault-kind.ts'
import { describeStep, type Lane } from './schedule.ts'
import type { TargetLocks } from './target-locks.ts'

export interface LaneOptions {
  readonly context: Omit<FaultContext, 'note'>
  readonly locks: TargetLocks
  readonly signal: AbortSignal
  readonly onBegin: (kind: string) => void
  readonly log: (text: string) => void
}

/** One fault after the other. Each is ended before the next, also when the run is stopped in the middle of it. */
export async function runLane(
  lane: Lane,
  { context, locks, signal, onBegin, log }: LaneOptions,
): Promise<void> {
  for (const step of lane) {
    await sleep(nodeClock, step.restMs, signal).catch(() => {})
    if (signal.aborted) return
    const { kind, choice } = step
    const release = await locks.take(kind.targets(choice, context.stage.home.kind))
    const note = (text: string): void => log(`${kind.name}: ${text}`)
    try {
      log(`begin ${describeStep(step)}`)
      onBegin(kind.name)
      const end = await kind.begin({ ...context, note }, choice)
      await sleep(nodeClock, step.holdMs, signal).catch(() => {})
      await end()
      log(`end ${kind.name}`)
    } finally {
      release()
    }
  }
}
