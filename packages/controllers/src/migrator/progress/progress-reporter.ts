import type { Cancel, Clock } from '@strata/world'
import type { Parallelism } from '../pass/parallelism.ts'
import type { StallDetector } from '../pass/stall-detector.ts'
import type { MigrationTarget } from '../target/target.ts'
import type { Ledger } from './ledger.ts'
import { computeProgress, type Progress, type Sample, withSample } from './progress.ts'
import type { Quarantine } from './quarantine.ts'
import type { ResumePoint } from './resume-point.ts'
import { settledOf, type Tally } from './tally.ts'

/** The progress of a migration, its quarantined objects, and where to resume it. */
export interface ProgressReport {
  readonly progress: Progress
  readonly quarantine: Quarantine
  readonly resume: ResumePoint
  /** The last error, if there has been no progress for a while. */
  readonly waitingFor?: string | undefined
}

export interface ReporterOptions {
  readonly clock: Clock
  readonly target: MigrationTarget
  readonly finished: readonly Tally[]
  readonly ledger: Ledger
  readonly total: number | undefined
  readonly isByServers: () => boolean
  readonly pace: { readonly now: Parallelism }
  readonly everyMs: number
  readonly standstill: Pick<StallDetector, 'waitingFor'>
  readonly onProgress: (report: ProgressReport) => void
}

/** Reports the progress of one pass periodically, if anything has changed. */
export class Reporter {
  readonly #options: ReporterOptions
  #total: number | undefined
  #samples: readonly Sample[] = []
  #reported = ''
  #cancel: Cancel = () => {}

  constructor(options: ReporterOptions) {
    this.#options = options
    this.#total = options.total
    this.#sample()
  }

  set total(total: number) {
    this.#total = total
  }

  start(): void {
    const { clock, everyMs } = this.#options
    this.#cancel = clock.after(everyMs, () => {
      this.tell()
      this.start()
    })
  }

  stop(): void {
    this.#cancel()
  }

  tell(): void {
    this.#sample()
    const report = this.report()
    const { ratePerSecond: _, etaSeconds: __, parallelism: ___, ...facts } = report.progress
    const text = JSON.stringify([facts, report.resume.ledger.continueToken, report.waitingFor])
    if (text === this.#reported) return
    this.#reported = text
    this.#options.onProgress(report)
  }

  report(): ProgressReport {
    const { target, finished, ledger, pace, standstill, isByServers } = this.#options
    const { waitingFor } = standstill
    const total = this.#total
    const quarantine = ledger.quarantine
    const progress = computeProgress({
      tallies: [...finished, ledger.tally],
      reached: ledger.reached,
      quarantined: quarantine.total,
      total,
      samples: this.#samples,
      parallelism: pace.now.allowed,
    })
    const resume = {
      ...{ target, finished, ledger: ledger.state },
      ...(total === undefined ? {} : { total }),
      ...(isByServers() ? { byServers: true as const } : {}),
    }
    return { progress, quarantine, resume, waitingFor }
  }

  #sample(): void {
    const { clock, ledger } = this.#options
    const sample = { atMs: clock.monotonicMs(), settled: settledOf(ledger.tally) }
    this.#samples = withSample(this.#samples, sample)
  }
}
