import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { nodeClock } from '@strata/world/node'
import { checkStore } from './check-store.ts'
import type { FaultKind } from './fault-kind.ts'
import { addRound, type Figures } from './figures.ts'
import { compactAll } from './kinds/compaction.ts'
import { RestingObjects } from './resting-objects.ts'
import { type RoundReport, runRound } from './run-round.ts'
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
  readonly verbose: boolean
  readonly signal: AbortSignal
  /** The directory for the logs of a failed round. */
  readonly keepIn: string
  readonly onProgress: (text: string) => void
}

/** Rounds between two looks at the whole history of the store. */
const checkEvery = 10

/** Rounds on one store until the time is up, or something was lost. */
export async function runStore(options: StoreRunOptions, figures: Figures): Promise<void> {
  const { store, network, from, signal } = options
  const kinds = options.kinds.filter((kind) => isPossible(kind, store, network))
  if (kinds.length === 0) return
  const stage = await openStage({ store, network })
  const last = options.rounds === undefined ? Number.POSITIVE_INFINITY : from + options.rounds
  const resting = new RestingObjects()
  try {
    await stage.untilWhole()
    for (
      let round = from;
      round < last && !signal.aborted && nodeClock.monotonicMs() < options.untilMs;
      round++
    ) {
      const lines: string[] = []
      const report = await runOneRound({ ...options, kinds, round, resting }, stage, lines)
      if (signal.aborted) return
      addRound(figures, report)
      if (report.problems.length > 0)
        return await keepLogs(stage, options, round, [...report.problems, '', ...lines])
      const isLast = round === last - 1 || nodeClock.monotonicMs() >= options.untilMs
      if (!(isLast || round % checkEvery === checkEvery - 1)) continue
      const problems = await checkStore(stage)
      figures.problems.push(...problems)
      if (problems.length > 0) return await keepLogs(stage, options, round, problems)
      // Checked history is deleted: the disks are small.
      await compactAll(stage.home)
    }
  } finally {
    await stage.close()
  }
}

async function runOneRound(
  options: StoreRunOptions & { readonly round: number; readonly resting: RestingObjects },
  stage: Stage,
  lines: string[],
): Promise<RoundReport> {
  const { store, round, seed, signal, kinds, resting } = options
  const plan = drawRound(seed, round, kinds, store)
  const beganMs = nodeClock.monotonicMs()
  const log = (text: string): void => {
    lines.push(`${(nodeClock.monotonicMs() - beganMs).toFixed(0).padStart(7)} ms  ${text}`)
    if (options.verbose) options.onProgress(lines.at(-1) ?? '')
  }
  const report = await runRound({ stage, plan, seed, signal, log, resting })
  const names = plan.lanes.flat().map(({ kind }) => kind.name)
  options.onProgress(
    `${store} round ${round}: ${names.join(', ')}; ` +
      `${report.operations} operations, ${report.unknown} unknown, ${report.problems.length} problems`,
  )
  return report
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
