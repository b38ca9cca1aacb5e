import { ApiError, type GroupResource } from '@strata/api'
import { type Client, type DiscoveredResource, isRequestFailure } from '@strata/client'
import { annotationOf, progressAnnotation } from '@strata/insight'
import { deadline, InvariantBroken, type Log, sleep, type World } from '@strata/world'
import { type MigrationEvent, quarantineEvents } from '../migration-events/index.ts'
import {
  failureMessage,
  finalProgress,
  type MigrationWriter,
  type Stage,
  type StatusChange,
} from '../migration-object/index.ts'
import {
  type MigrationLimits,
  type MigrationResult,
  type MigrationTarget,
  migrate,
  observeListeners,
  observeTarget,
  resumeOfStatus,
  statusOfReport,
  type TargetAges,
  targetText,
} from '../migrator/index.ts'
import { updateCrdStatus } from './crd-status.ts'
import { decideInterruption, decideOutcome, failuresAfter } from './decide-outcome.ts'
import { decidePrune } from './decide-prune.ts'
import { decideServed, gvrText, unservedNote } from './decide-served.ts'
import type { MigrationMetrics } from './migration-metrics.ts'
import { pauseMigration } from './pause-migration.ts'
import { ProgressSaver } from './progress-saver.ts'
import { acceptedProof } from './prune-evidence.ts'

/** Kept from one run of a migration to the next, while this process leads. */
export interface RunMemory {
  /** Failed runs in a row. */
  failures: number
  /** Since when each run was interrupted outside the engine, which has retries of its own. */
  interruptedSinceMs?: number
  missingSinceMs?: number
  /** Details in the Running condition. */
  reported?: { readonly waitingFor?: string | undefined; readonly note?: string | undefined }
  readonly standing: TargetAges
}

export interface MigrationRunOptions {
  readonly world: World
  readonly client: Client
  readonly log: Log
  readonly writer: MigrationWriter
  readonly memory: RunMemory
  readonly metrics: MigrationMetrics
  /** Records an Event, without waiting for it. */
  readonly recordEvent: (event: MigrationEvent) => void
  readonly limits: Partial<MigrationLimits> | undefined
  /** Whether another process holds another migration of the same resource. */
  readonly isContested: (signal: AbortSignal) => Promise<boolean>
  /** Whether servers may rewrite objects next to the data, where they offer it. */
  readonly nextToData: boolean
  readonly signal: AbortSignal
}

/** When to try again; undefined: nothing is left to do. */
export type RunEnd = { readonly afterMs: number } | undefined

const whileOthersMs = 500
const whileWaitingMs = 2_000
const whileDisagreeingMs = 5_000
const revisionForm = /^[1-9][0-9]*$/
const writeAttempts = 5
const checkpointTimeoutMs = 30_000
/** Long, because afterwards a user has to prune. */
const prunePatienceMs = 600_000
/** No namespace has such a name. */
const nowhere = '@fake:svm_ns!'

/** One run of a migration, from its claim to its end or to a wait. The runner retries after an error. */
export class MigrationRun {
  readonly #options: MigrationRunOptions
  readonly #resource: GroupResource
  /** Says what differs from the request. */
  #note: string | undefined

  constructor(options: MigrationRunOptions) {
    this.#options = options
    this.#resource = options.writer.view.resource
  }

  async run(): Promise<RunEnd> {
    const { writer, signal, metrics, memory, isContested } = this.#options
    const { isOurs } = writer
    if ((await writer.claim(signal)) !== 'written') return undefined
    if (!isOurs && (await isContested(signal))) {
      await writer.release(signal)
      return { afterMs: whileOthersMs }
    }
    const migration = writer.view.name
    // In upstream's order: when a client sees Running, the CRD says so already.
    await this.#updateCrd(() => ({ kind: 'running', migration }))
    if (!isOurs) memory.reported = { waitingFor: writer.view.progress.waitingFor }
    if (!writer.view.saysRunning) await this.#report({ kind: 'running' })
    await this.#leave()
    if (writer.lost) return undefined
    try {
      const end = await this.#begin()
      delete memory.interruptedSinceMs
      return end
    } catch (error) {
      return await this.#interrupted(error)
    } finally {
      metrics.pause(this.#resource)
    }
  }

  /** Throws the error, for the runner to retry, unless it has lasted too long. */
  async #interrupted(error: unknown): Promise<RunEnd> {
    const { memory, world, signal } = this.#options
    if (signal.aborted || error instanceof InvariantBroken) throw error
    const nowMs = world.clock.monotonicMs()
    memory.interruptedSinceMs ??= nowMs
    const because = error instanceof Error ? error.message : String(error)
    const decision = decideInterruption(because, nowMs - memory.interruptedSinceMs, memory.failures)
    if (decision.do === 'fail') return this.#fail(decision)
    if (decision.do === 'count') {
      memory.failures++
      memory.interruptedSinceMs = nowMs
    }
    await this.#reportError(error)
    throw error
  }

  async #begin(): Promise<RunEnd> {
    const { client, memory, world, signal, metrics, writer } = this.#options
    const resource = this.#resource
    const nowMs = world.clock.monotonicMs()
    const discovery = await client.discover(signal)
    const served = decideServed(resource, discovery, nowMs - (memory.missingSinceMs ?? nowMs))
    if (served.kind === 'wait') {
      memory.missingSinceMs ??= nowMs
      return this.#wait({ kind: 'waiting', because: served.because }, whileWaitingMs)
    }
    if (served.kind === 'failed') return this.#fail({ failure: 'Failed', message: served.message })
    delete memory.missingSinceMs
    this.#note = unservedNote(resource, writer.view.servedVersion, discovery)
    if (this.#note !== undefined && this.#note !== memory.reported?.note) {
      await this.#report({ kind: 'running', note: this.#note })
    }
    const gvr = gvrText(served.resource)
    metrics.begin(resource, gvr)
    const checkpoint = await this.#checkpoint(served.resource)
    if (checkpoint !== undefined && !revisionForm.test(checkpoint)) {
      const why = `resource version is not well formed: ${checkpoint}`
      const message = `latest resourceVersion for ${gvr} is not valid: ${why}`
      return this.#fail({ failure: 'Failed', message })
    }
    if (checkpoint !== undefined) await this.#report({ kind: 'running' }, { checkpoint })
    // The migration object names the resource.
    const observe = (each: AbortSignal) => observeTarget({ client, resource, isNamed: true }, each)
    const askedMs = world.clock.monotonicMs()
    const decision = await observe(signal)
    if (!decision.agreed)
      return this.#wait({ kind: 'waiting', because: decision.because }, whileDisagreeingMs)
    memory.standing.see(resource, decision, askedMs)
    this.#options.recordEvent({ kind: 'started', target: targetText(decision.target), by: 'the runner' })
    return this.#conclude(await this.#migrate(decision.target, observe))
  }

  /** Not where admission webhooks apply to updates, or may: servers do not call them next to the data. */
  async #mayWorkNextToData(): Promise<boolean> {
    const { client, nextToData, log, signal } = this.#options
    if (!nextToData) return false
    const listeners = await observeListeners(client, this.#resource, signal)
    if (listeners?.length)
      log.info('rewriting each object through the API: admission webhooks apply', { listeners })
    return listeners?.length === 0
  }

  async #migrate(
    target: MigrationTarget,
    observe: Parameters<typeof migrate>[0]['observe'],
  ): Promise<MigrationResult> {
    const { client, writer, world, log, metrics, limits, memory, recordEvent, signal } = this.#options
    let reportedWait: string | undefined
    memory.reported = { note: this.#note }
    const saver = new ProgressSaver({ world, log, writer, signal, note: this.#note })
    const resource = this.#resource
    const { progress } = writer.view
    const nextToData = await this.#mayWorkNextToData()
    const result = await migrate({
      ...{ world, client, target, observe, signal, nextToData, limits },
      resume: resumeOfStatus(resource, progress),
      stoodForMs: memory.standing.stoodForMs(target),
      control: () => this.#wanted,
      onBegin: (before) => metrics.resume(resource, before),
      onProgress: (report) => {
        const { waitingFor } = report
        metrics.progress(resource, report.progress)
        if (waitingFor !== undefined && waitingFor !== reportedWait)
          recordEvent({ kind: 'stalled', because: waitingFor })
        reportedWait = waitingFor
        saver.save(report)
      },
    })
    metrics.progress(resource, result.progress)
    await saver.idle()
    log.info('migration run ended', { outcome: result.outcome, proof: result.proof, because: result.because })
    return result
  }

  /** Asked between objects: a pause, cancellation or deletion stops a run at once (docs/reference/upstream-behaviour.md, X2). */
  get #wanted(): 'run' | 'pause' | 'cancel' {
    const { view, lost } = this.#options.writer
    if (lost !== undefined || view.isCancelled) return 'cancel'
    return view.isPaused ? 'pause' : 'run'
  }

  async #conclude(result: MigrationResult): Promise<RunEnd> {
    const { memory, signal, recordEvent } = this.#options
    const outcome = decideOutcome(result, memory.failures)
    const failures = failuresAfter(outcome, memory.failures)
    for (const each of quarantineEvents(result.quarantine)) recordEvent(each)
    switch (outcome.do) {
      case 'succeed':
        return this.#succeed(result)
      case 'fail':
        return this.#fail(outcome, result)
      case 'again':
        memory.failures = failures
        return this.#wait(
          { kind: outcome.isFailure ? 'stalled' : 'aborted', because: outcome.because },
          outcome.afterMs,
        )
      case 'stop':
        signal.throwIfAborted()
        memory.failures = failures
        return this.#stop(result)
    }
  }

  async #succeed(result: MigrationResult): Promise<RunEnd> {
    const { writer } = this.#options
    const { target } = result.resume
    // Before the Succeeded condition: clients that wait for it read the stored versions next. If this process is killed in
    // between, the next runner finds everything done, confirms the target and writes the same.
    const untold = await this.#updateCrd((definition) => {
      const accept = acceptedProof(writer.view.annotations, definition.metadata.annotations)
      const evidence = { succeeded: true, proof: result.proof, definition: target.definition }
      return { kind: 'succeeded', prune: decidePrune({ definition, evidence, accept }) }
    }, prunePatienceMs)
    const unpruned =
      untold === undefined ? [] : [`the stored versions of the CRD have not been updated: ${untold}`]
    const notes = [...(this.#note === undefined ? [] : [this.#note]), ...unpruned]
    await this.#end({ kind: 'succeeded', ...(notes.length === 0 ? {} : { note: notes.join('; ') }) }, result)
    return undefined
  }

  async #fail(
    { failure, message }: Pick<Stage & { kind: 'failed' }, 'failure' | 'message'>,
    result?: MigrationResult,
  ): Promise<RunEnd> {
    // Never pruned after a failure, unlike upstream (docs/reference/upstream-behaviour.md, Q1).
    await this.#updateCrd(() => ({ kind: 'failed' }))
    await this.#end({ kind: 'failed', failure, message }, result)
    return undefined
  }

  /** Cancelled, paused, deleted, or taken over. */
  async #stop(result: MigrationResult): Promise<RunEnd> {
    const { writer, signal, recordEvent } = this.#options
    const { view, lost } = writer
    await this.#leave()
    if (lost !== undefined) return undefined
    if (view.isCancelled) {
      return this.#fail({ failure: 'Aborted', message: failureMessage('it was cancelled') }, result)
    }
    await pauseMigration(writer, signal)
    recordEvent({ kind: 'paused' })
    return undefined
  }

  /** Corrects the CRD of a migration that we lost. A process that took it over does that itself. */
  async #leave(): Promise<void> {
    const { lost } = this.#options.writer
    if (lost !== undefined && lost !== 'taken over') await this.#updateCrd(() => ({ kind: 'failed' }))
  }

  async #wait(why: MigrationEvent & { readonly because: string }, afterMs: number): Promise<RunEnd> {
    const { log, recordEvent } = this.#options
    const { because } = why
    log.info('the migration waits', { because })
    // Reported once: to repeat it every few seconds would be a write for nothing.
    if (this.#options.memory.reported?.waitingFor !== because) {
      recordEvent(why)
      await this.#report({ kind: 'running', waitingFor: because, note: this.#note })
    }
    return { afterMs }
  }

  /** Reports the answer of a server in the status, where users look for it rather than in the log. */
  async #reportError(error: unknown): Promise<void> {
    const { signal, log } = this.#options
    if (signal.aborted || !(error instanceof ApiError)) return
    try {
      await this.#wait({ kind: 'stalled', because: error.message }, 0)
    } catch (unsaid) {
      log.info('saving the reason for waiting failed', { error: String(unsaid) })
    }
  }

  async #end(stage: Stage & { kind: 'succeeded' | 'failed' }, result?: MigrationResult): Promise<void> {
    const { writer, metrics, world, signal, log, recordEvent } = this.#options
    const { keepsProgress } = writer.view
    const progress = result && finalProgress(statusOfReport(result), result.proof)
    for (let attempt = 1; ; attempt++) {
      try {
        if (progress && !keepsProgress) {
          await writer.annotate({ [progressAnnotation]: annotationOf(progress) }, signal)
        }
        await this.#report(stage, { progress })
        break
      } catch (error) {
        if (signal.aborted || error instanceof InvariantBroken || attempt >= writeAttempts) throw error
        log.warn('saving the result of the migration failed; retrying', { error: String(error) })
        await sleep(world.clock, 1_000 * 2 ** attempt, signal)
      }
    }
    const status = stage.kind === 'succeeded' ? 'Succeeded' : 'Failed'
    if (writer.view.phase === stage.kind) {
      metrics.end(this.#resource, status)
      recordEvent(stage.kind === 'failed' ? stage : { kind: 'succeeded', proof: result?.proof ?? 'unknown' })
    }
    log.info('migration ended', { status, ...stage })
  }

  async #report(stage: Stage, more: Omit<StatusChange, 'stage'> = {}): Promise<void> {
    const { writer, memory, signal } = this.#options
    await writer.write({ stage, ...more }, signal)
    if (stage.kind === 'running') memory.reported = { waitingFor: stage.waitingFor, note: stage.note }
  }

  /**
   * `storagemigration.k8s.io` stores the resourceVersion at which a migration began, once. Strata skips no object because
   * of it, and continues without it if the list fails. Otherwise one object that cannot be decoded, or a dead conversion
   * webhook, would stop the migration of all others.
   */
  async #checkpoint(served: DiscoveredResource): Promise<string | undefined> {
    const { client, writer, log, world, signal } = this.#options
    const { group, checkpoint } = writer.view
    if (group !== 'storagemigration.k8s.io' || checkpoint !== '') return undefined
    // As upstream: a list of a namespace that cannot exist decodes, converts and sends nothing.
    const place = served.namespaced ? { namespace: nowhere } : {}
    const limit = deadline(world.clock, checkpointTimeoutMs, signal)
    try {
      const { metadata } = await client.metadata(served).listPage({ limit: 1, ...place }, limit.signal)
      return metadata.resourceVersion ?? ''
    } catch (error) {
      if (signal.aborted || !isRequestFailure(error)) throw error
      log.info('reading the start resourceVersion failed; continuing without it', { error: String(error) })
      return undefined
    } finally {
      limit.dispose()
    }
  }

  #updateCrd(stage: Parameters<typeof updateCrdStatus>[1], patienceMs?: number): Promise<string | undefined> {
    const { client, world, log, signal } = this.#options
    const resource = this.#resource
    const patience = patienceMs === undefined ? {} : { patienceMs }
    return updateCrdStatus({ client, world, log, resource, ...patience }, stage, signal)
  }
}
