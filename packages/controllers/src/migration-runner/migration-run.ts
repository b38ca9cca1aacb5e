import type { GroupResource } from '@strata/api'
import type { Client } from '@strata/client'
import { InvariantBroken, type Log, sleep, timestamp, type World } from '@strata/world'
import {
  type MigrationLimits,
  type MigrationResult,
  type MigrationTarget,
  migrate,
  observeListeners,
  observeTarget,
  resultWords,
  resumeOfStatus,
  sameTarget,
} from '../migrator/index.ts'
import { failureMessage, type Saying } from './decide-conditions.ts'
import { decideOutcome } from './decide-outcome.ts'
import { decidePrune } from './decide-prune.ts'
import { decideServed, gvrText } from './decide-served.ts'
import { sayOfDefinition } from './definition-status.ts'
import type { MigrationMetrics } from './migration-metrics.ts'
import type { MigrationRecord } from './migration-record.ts'
import { progressAnnotation } from './migration-view.ts'
import { annotationOf, ProgressSaver } from './progress-saver.ts'
import { acceptedProof } from './prune-evidence.ts'
import { lastProgress, type StatusChange, statusPatch } from './status-patch.ts'

/** What is remembered of a migration from one run to the next, for as long as this process leads. */
export interface RunMemory {
  failures: number
  missingSinceMs?: number
  target?: { readonly is: MigrationTarget; readonly sinceMs: number }
}

export interface MigrationRunOptions {
  readonly world: World
  readonly client: Client
  readonly log: Log
  readonly record: MigrationRecord
  readonly memory: RunMemory
  readonly metrics: MigrationMetrics
  readonly limits?: Partial<MigrationLimits>
  /** Whether the servers may do the work, where they offer to. */
  readonly nextToData: boolean
  readonly signal: AbortSignal
}

/** When to try again; undefined: there is nothing more to do. */
export type RunEnd = { readonly afterMs: number } | undefined

const whileWaitingMs = 2_000
const whileDisagreeingMs = 5_000
const revisionForm = /^[1-9][0-9]*$/
const writeAttempts = 5

/** One migration, from its claim to its end or to where it has to wait. What it throws is tried again, later. */
export class MigrationRun {
  readonly #options: MigrationRunOptions
  readonly #resource: GroupResource

  constructor(options: MigrationRunOptions) {
    this.#options = options
    this.#resource = options.record.view.resource
  }

  async run(): Promise<RunEnd> {
    const { record, signal, metrics } = this.#options
    if ((await record.claim(signal)) !== 'written') return undefined
    const migration = record.view.name
    // In this order, as upstream: whoever sees a migration run finds its definition told.
    await this.#tellDefinition(() => ({ kind: 'running', migration }))
    if (!record.view.saysRunning) await this.#say({ kind: 'running' })
    await this.#leave()
    if (record.lost) return undefined
    try {
      return await this.#begin()
    } finally {
      metrics.pause(this.#resource)
    }
  }

  async #begin(): Promise<RunEnd> {
    const { client, memory, world, signal, metrics } = this.#options
    const resource = this.#resource
    const nowMs = world.clock.monotonicMs()
    const discovery = await client.discover(signal)
    const served = decideServed(resource, discovery, nowMs - (memory.missingSinceMs ?? nowMs))
    if (served.kind === 'wait') {
      memory.missingSinceMs ??= nowMs
      return this.#wait(served.because, whileWaitingMs)
    }
    if (served.kind === 'failed') return this.#fail(served.message)
    delete memory.missingSinceMs
    const gvr = gvrText(served.resource)
    metrics.begin(resource, gvr)
    const checkpoint = await this.#checkpoint(served.resource)
    if (checkpoint !== undefined && !revisionForm.test(checkpoint)) {
      const why = `resource version is not well formed: ${checkpoint}`
      return this.#fail(`latest resourceVersion for ${gvr} is not valid: ${why}`)
    }
    if (checkpoint !== undefined) await this.#say({ kind: 'running' }, { checkpoint })
    // Whoever makes such an object has named the resource.
    const observe = (each: AbortSignal) => observeTarget({ client, resource, isNamed: true }, each)
    const decision = await observe(signal)
    if (!decision.agreed) return this.#wait(decision.because, whileDisagreeingMs)
    return this.#conclude(await this.#migrate(decision.target, observe))
  }

  /** Not where somebody has asked to be heard before an object is updated, or may have: next to the data nobody is. */
  async #mayWorkNextToData(): Promise<boolean> {
    const { client, nextToData, log, signal } = this.#options
    if (!nextToData) return false
    const listeners = await observeListeners(client, this.#resource, signal)
    if (listeners?.length) log.info('object by object, for some are asked about updates', { listeners })
    return listeners?.length === 0
  }

  async #migrate(
    target: MigrationTarget,
    observe: Parameters<typeof migrate>[0]['observe'],
  ): Promise<MigrationResult> {
    const { client, record, world, log, metrics, limits, memory, signal } = this.#options
    const saver = new ProgressSaver({ world, log, record, signal })
    const resource = this.#resource
    const { progress } = record.view
    const nowMs = world.clock.monotonicMs()
    if (!memory.target || !sameTarget(memory.target.is, target).same) {
      memory.target = { is: target, sinceMs: nowMs }
    }
    const nextToData = await this.#mayWorkNextToData()
    const result = await migrate({
      ...{ world, client, target, observe, signal, nextToData, ...(limits ? { limits } : {}) },
      resume: resumeOfStatus(resource, progress),
      stoodForMs: nowMs - memory.target.sinceMs,
      control: () => this.#wanted,
      onProgress: (report) => {
        metrics.progress(resource, report.progress)
        saver.save(report)
      },
    })
    metrics.progress(resource, result.progress)
    await saver.idle()
    log.info('a run has ended', { outcome: result.outcome, proof: result.proof, because: result.because })
    return result
  }

  /** Asked between objects, so that what people write, and a deletion, stops a run at once (behaviour.md, X2). */
  get #wanted(): 'run' | 'pause' | 'cancel' {
    const { view, lost } = this.#options.record
    if (lost !== undefined || view.isCancelled) return 'cancel'
    return view.isPaused ? 'pause' : 'run'
  }

  async #conclude(result: MigrationResult): Promise<RunEnd> {
    const { memory, signal } = this.#options
    const outcome = decideOutcome(result, memory.failures)
    switch (outcome.do) {
      case 'succeed':
        return this.#succeed(result)
      case 'fail':
        return this.#fail(outcome.message, result)
      case 'again':
        if (outcome.isFailure) memory.failures++
        return this.#wait(outcome.because, outcome.afterMs)
      case 'stop':
        signal.throwIfAborted()
        return this.#stop(result)
    }
  }

  async #succeed(result: MigrationResult): Promise<RunEnd> {
    const { record } = this.#options
    const { target } = result.resume
    // Before the end is told: whoever waits for it looks at the stored versions next. Should we be killed in between, the
    // next runner finds everything done, looks at the target once more, and says the same.
    await this.#tellDefinition((definition) => {
      const accept = acceptedProof(record.view.annotations, definition.metadata.annotations)
      const evidence = { succeeded: true, proof: result.proof, definition: target.definition }
      return { kind: 'succeeded', prune: decidePrune({ definition, evidence, accept }) }
    })
    await this.#end({ kind: 'succeeded' }, result)
    return undefined
  }

  async #fail(message: string, result?: MigrationResult): Promise<RunEnd> {
    // Never pruned after a failure, whatever upstream does (behaviour.md, Q1).
    await this.#tellDefinition(() => ({ kind: 'failed' }))
    await this.#end({ kind: 'failed', message }, result)
    return undefined
  }

  /** Cancelled, paused, deleted, or taken over. */
  async #stop(result: MigrationResult): Promise<RunEnd> {
    const { record } = this.#options
    const { view, lost } = record
    await this.#leave()
    if (lost !== undefined) return undefined
    if (view.isCancelled) return this.#fail(failureMessage('it was cancelled'), result)
    await this.#say({ kind: 'running', because: 'it is paused' })
    return undefined
  }

  /** What is not ours any more leaves no definition behind that says it runs; whoever took it over says so itself. */
  async #leave(): Promise<void> {
    const { lost } = this.#options.record
    if (lost !== undefined && lost !== 'taken over') await this.#tellDefinition(() => ({ kind: 'failed' }))
  }

  async #wait(because: string, afterMs: number): Promise<RunEnd> {
    const { record, log } = this.#options
    log.info('waiting', { because })
    const said = record.view.conditions.find(({ type }) => type === 'Running')?.message ?? ''
    // Said once: the same every few seconds would be a write for nothing.
    if (!said.includes(because)) await this.#say({ kind: 'running', because })
    return { afterMs }
  }

  async #end(saying: Saying & { kind: 'succeeded' | 'failed' }, result?: MigrationResult): Promise<void> {
    const { record, metrics, world, signal, log } = this.#options
    const { keepsProgress } = record.view
    const progress = result && lastProgress(result, resultWords[result.proof])
    for (let attempt = 1; ; attempt++) {
      try {
        if (progress && !keepsProgress) {
          await record.annotate({ [progressAnnotation]: annotationOf(progress) }, signal)
        }
        await this.#say(saying, progress ? { progress } : {})
        break
      } catch (error) {
        if (signal.aborted || error instanceof InvariantBroken || attempt >= writeAttempts) throw error
        log.warn('the end could not be written down; trying again', { error: String(error) })
        await sleep(world.clock, 1_000 * 2 ** attempt, signal)
      }
    }
    const status = saying.kind === 'succeeded' ? 'Succeeded' : 'Failed'
    if (record.view.phase === saying.kind) metrics.end(this.#resource, status)
    log.info('a migration has ended', { status, ...saying })
  }

  async #say(saying: Saying, more: Omit<StatusChange, 'saying'> = {}): Promise<void> {
    const { record, world, signal } = this.#options
    const now = timestamp(world.clock)
    await record.writeStatus((view) => statusPatch(view, { saying, ...more }, now), signal)
  }

  /** Upstream's own kind notes from which resourceVersion on things are new; once, for ever. */
  async #checkpoint(served: Parameters<Client['metadata']>[0]): Promise<string | undefined> {
    const { client, record, signal } = this.#options
    const { group, checkpoint } = record.view
    if (group !== 'storagemigration.k8s.io' || checkpoint !== '') return undefined
    const { metadata } = await client.metadata(served).listPage({ limit: 1 }, signal)
    return metadata.resourceVersion ?? ''
  }

  #tellDefinition(saying: Parameters<typeof sayOfDefinition>[1]): Promise<void> {
    const { client, world, log, signal } = this.#options
    return sayOfDefinition({ client, world, log, resource: this.#resource }, saying, signal)
  }
}
