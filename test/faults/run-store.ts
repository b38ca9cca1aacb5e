import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { nodeClock } from '@strata/world/node'
import type { FaultKind } from './fault-kind.ts'
import { addRound, type Figures } from './figures.ts'
import { runRound } from './run-round.ts'
import { drawRound } from './schedule.ts'
import type { Network } from './stage/network.ts'
import { openStage, type Stage } from './stage/stage.ts'
import type { StoreKind } from './stage/store-home.ts'

export interface StoreRunOptions {
  readonly store: StoreKind
  readonly network: Network['kind']
  readonly kinds: readonly FaultKind[]
  readonly seed: string
  readonly from: number
  readonly rounds: number | undefined
  readonly untilMs: number
  readonly signal: AbortSignal
  /** Where logs are kept of a round in which something was lost. */
  readonly keepIn: string
  readonly onProgress: (text: string) => void
}

/** Rounds on one store until the time is up, or something was lost. */
export async function runStore(options: StoreRunOptions, figures: Figures): Promise<void> {
  const { store, network, seed, from, signal } = options
  const kinds = options.kinds.filter((kind) => isPossible(kind, store, network))
  if (kinds.length === 0) return
  const stage = await openStage({ store, network })
  const last = options.rounds === undefined ? Number.POSITIVE_INFINITY : from + options.rounds
  try {
    await stage.untilWhole()
    for (
      let round = from;
      round < last && !signal.aborted && nodeClock.monotonicMs() < options.untilMs;
      round++
    ) {
      const plan = drawRound(seed, round, kinds, store)
      const lines: string[] = []
      const beganMs = nodeClock.monotonicMs()
      const log = (text: string): void =>
        void lines.push(`${(nodeClock.monotonicMs() - beganMs).toFixed(0).padStart(7)} ms  ${text}`)
      const report = await runRound({ stage, plan, seed, signal, log })
      addRound(figures, report)
      options.onProgress(
        `${store} round ${round}: ${plan.lanes
          .flat()
          .map(({ kind }) => kind.name)
          .join(', ')}; ` +
          `${report.operations} operations, ${report.unknown} unknown, ${report.problems.length} problems`,
      )
      if (report.problems.length > 0)
        return await keepLogs(stage, options, round, [...report.problems, '', ...lines])
    }
  } finally {
    await stage.close()
  }
}

const isPossible = (kind: FaultKind, store: StoreKind, network: Network['kind']): boolean =>
  kind.stores.includes(store) && (kind.needs === undefined || kind.needs === network)

async function keepLogs(
  stage: Stage,
  { store, seed, keepIn, kinds, onProgress }: StoreRunOptions,
  round: number,
  lines: readonly string[],
): Promise<void> {
  const directory = join(keepIn, `${store}-seed-${seed}-round-${round}`)
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'round.txt'), `${lines.join('\n')}\n`)
  for (const [index, { name, output }] of stage.processes.entries())
    await writeFile(join(directory, `${index}-${name}.log`), output)
  onProgress(lines.slice(0, 12).join('\n'))
  onProgress(`logs are kept in ${directory}`)
  const only = kinds.map(({ name }) => name).join(',')
  onProgress(
    `again: npm run faults -- --store ${store} --seed ${seed} --from ${round} --rounds 1 --only ${only}`,
  )
}
