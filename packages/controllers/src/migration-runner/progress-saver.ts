import type { MigrationProgress } from '@strata/api'
import { annotationOf, progressAnnotation } from '@strata/insight'
import type { Log, World } from '@strata/world'
import type { MigrationWriter, Stage } from '../migration-object/index.ts'
import { type ProgressReport, statusOfReport } from '../migrator/index.ts'
import { countsOf } from './decide-outcome.ts'

export interface ProgressSaverOptions {
  readonly world: Pick<World, 'clock'>
  readonly log: Log
  readonly writer: MigrationWriter
  /** Added to the Running condition. */
  readonly note?: string | undefined
  readonly signal: AbortSignal
}

/** Annotations are costly to write, and to resume from a little earlier costs little. */
const annotateEveryMs = 10_000

/**
 * Saves the progress of a migration, one write at a time and always the newest. A failed write is not retried: the next one
 * is newer. If a write shows that we lost the migration, the run reads that from the writer and ends.
 */
export class ProgressSaver {
  readonly #options: ProgressSaverOptions
  #next: ProgressReport | undefined
  #writing: Promise<void> | undefined
  #annotatedMs = Number.NEGATIVE_INFINITY

  constructor(options: ProgressSaverOptions) {
    this.#options = options
  }

  save(report: ProgressReport): void {
    this.#next = report
    this.#writing ??= this.#drain().finally(() => {
      this.#writing = undefined
    })
  }

  /** Resolves when no write is pending. */
  async idle(): Promise<void> {
    await this.#writing
  }

  async #drain(): Promise<void> {
    for (let report = this.#next; report; report = this.#next) {
      this.#next = undefined
      await this.#write(report)
    }
  }

  async #write(report: ProgressReport): Promise<void> {
    const { writer, signal, log, note } = this.#options
    const progress = statusOfReport(report)
    const { waitingFor } = report
    const stage: Stage = { kind: 'running', counts: countsOf(report.progress), waitingFor, note }
    try {
      const outcome = await writer.write({ stage, progress }, signal)
      if (outcome === 'written' && !writer.view.keepsProgress) await this.#annotate(progress)
    } catch (error) {
      if (!signal.aborted) log.info('saving progress failed', { error: String(error) })
    }
  }

  async #annotate(progress: MigrationProgress): Promise<void> {
    const { world, writer, signal } = this.#options
    const nowMs = world.clock.monotonicMs()
    if (nowMs - this.#annotatedMs < annotateEveryMs) return
    this.#annotatedMs = nowMs
    await writer.annotate({ [progressAnnotation]: annotationOf(progress) }, signal)
  }
}
