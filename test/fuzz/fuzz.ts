import type { Finding } from './finding.ts'
import { FuzzPool } from './fuzz-pool.ts'
import { planChunks } from './plan.ts'
import type { ChunkReport } from './run-chunk.ts'
import type { FuzzTarget } from './target.ts'

export interface TargetFigures {
  readonly target: string
  readonly inputs: number
  readonly accepted: number
  readonly refused: number
  readonly slowest: { readonly number: number; readonly cpuMs: number }
}

export interface FuzzReport {
  readonly seed: string
  readonly inputs: number
  readonly seconds: number
  readonly targets: readonly TargetFigures[]
  readonly findings: readonly Finding[]
}

export interface FuzzOptions {
  readonly targets: readonly FuzzTarget[]
  readonly seed: string
  readonly inputs: number
  /** The number of the first input of each target. A multiple of every sequence, or replays differ. */
  readonly from?: number
  readonly size?: number
  readonly hangMs?: number
  readonly targetsModule?: string
  readonly onProgress?: (done: number, findings: number) => void
  readonly onFinding?: (finding: Finding) => void
}

/** Tries all inputs on all processors. A target stops at its first finding; the others go on. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { targets, seed, inputs, onProgress, onFinding } = options
  const startedMs = performance.now()
  const figures = new Map(targets.map(({ name }) => [name, emptyFigures(name)]))
  const findings: Finding[] = []
  const pool = new FuzzPool(options)
  let done = 0
  try {
    await Promise.all(
      planChunks(targets, seed, inputs, options.from).map(async (chunk) => {
        const report = await pool.run(chunk, () => findings.some(({ target }) => target === chunk.target))
        if (!report) return
        figures.set(chunk.target, addFigures(figures.get(chunk.target) ?? emptyFigures(chunk.target), report))
        done += report.inputs
        if (report.finding && !findings.some(({ target }) => target === chunk.target)) {
          findings.push(report.finding)
          onFinding?.(report.finding)
        }
        onProgress?.(done, findings.length)
      }),
    )
  } finally {
    await pool.close()
  }
  const seconds = (performance.now() - startedMs) / 1_000
  return { seed, inputs: done, seconds, targets: [...figures.values()], findings }
}

const emptyFigures = (target: string): TargetFigures => ({
  ...{ target, inputs: 0, accepted: 0, refused: 0 },
  slowest: { number: 0, cpuMs: 0 },
})

const addFigures = (sum: TargetFigures, report: ChunkReport): TargetFigures => ({
  target: sum.target,
  inputs: sum.inputs + report.inputs,
  accepted: sum.accepted + report.accepted,
  refused: sum.refused + report.refused,
  slowest: report.slowest.cpuMs > sum.slowest.cpuMs ? report.slowest : sum.slowest,
})
