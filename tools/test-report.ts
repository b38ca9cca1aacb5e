import { readFileSync } from 'node:fs'
import { addTallies, NOTHING, type Tally } from './tally.ts'
import type { FileTiming } from './timings.ts'

export interface Failure {
  readonly name: string
  readonly file?: string
  readonly line?: number
  readonly text: string
}

/** What came of a process that ran one test file, or several. */
export interface TestReport {
  readonly tally: Tally
  readonly failures: readonly Failure[]
  /** Of the process and all that it started and saw end; nothing if it ended before it could say. */
  readonly cpuMs: number
  /** The outermost suites; of files that were loaded together, each is one. */
  readonly suites: readonly SuiteReport[]
}
export interface SuiteReport extends Omit<FileTiming, 'path'> {
  readonly name: string
  readonly tally: Tally
}

interface ReportLine {
  readonly tally?: Tally
  readonly cpuMs?: number
  readonly suite?: SuiteReport
  readonly failure?: Failure
}

/** What the process's own reporter wrote. `trouble` is what went wrong with the process, if anything. */
export function readReport(report: string, trouble: string | undefined): TestReport {
  const lines = readLines(report)
  const failures = lines.flatMap((line) => line.failure ?? [])
  const { tally, cpuMs = 0 } = lines.findLast((line) => line.tally) ?? {}
  // A file may end badly although each of its tests went well, or before it said anything at all.
  const isExplained = failures.length > 0 && trouble?.startsWith('the process ended with exit code')
  const reason = tally ? trouble : (trouble ?? 'ended without a result')
  if (reason !== undefined && !isExplained) failures.push({ name: reason, text: '' })
  const failed = Math.max(tally?.failed ?? 0, failures.length)
  const suites = lines.flatMap((line) => line.suite ?? [])
  return { tally: { ...(tally ?? NOTHING), failed }, failures, cpuMs, suites }
}

function readLines(report: string): readonly ReportLine[] {
  try {
    const complete = readFileSync(report, 'utf8').split('\n').slice(0, -1)
    return complete.map((line) => JSON.parse(line))
  } catch {
    return []
  }
}

/** Whether all is well, and every test that was counted belongs to one of the files. */
export function isWhole({ tally, failures, suites }: TestReport, files: readonly string[]): boolean {
  const { passed, skipped } = suites.reduce((sum, suite) => addTallies(sum, suite.tally), NOTHING)
  return (
    failures.length === 0 &&
    tally.failed === 0 &&
    [passed, skipped].join() === [tally.passed, tally.skipped].join() &&
    suites.map(({ name }) => name).join() === files.join()
  )
}
