import { groupResourceText, looseSettledMs } from '@strata/api'
import { type DiscoveredResource, isTransient } from '@strata/client'
import { isMigratable } from '@strata/controllers'
import { sleep } from '@strata/world'
import type { CliContext } from '../../context.ts'
import type { ExitWord } from '../../output/exit-codes.ts'
import { worstOf } from '../../output/exit-codes.ts'
import { isConfirmed } from '../../output/is-confirmed.ts'
import type { StoreSource } from '../../stored/observe-store.ts'
import type { KeyFile } from '../../stored/read-key-file.ts'
import type { MigrationReport } from '../report/migration-report.ts'
import { allMigratable } from '../resources/choose-resources.ts'
import type { Cluster } from '../resources/cluster.ts'
import type { Given } from '../resources/given-flags.ts'
import { type MigrateAllOptions, migrateAll } from '../run/migrate-all.ts'
import { patienceMs, withRetries } from '../run/read-with-retries.ts'
import { decideRotation, type KeyedResource, type RotationStep, stillNeededBy } from './decide-rotation.ts'
import { decideRotationElsewhere, type ElsewhereFacts } from './decide-rotation-elsewhere.ts'
import { exitElsewhere } from './exit-elsewhere.ts'
import { fileFacts, observeServers, observeStored, type ServersSight } from './observe-elsewhere.ts'
import { encryptedOf, type KeySight, observeKeyStates, rulesAbout } from './observe-key-states.ts'
import type { WantedRule } from './provider-snippet.ts'
import type { RotationReport } from './rotation-report.ts'
import { adviceFor } from './rotation-steps.ts'

export interface RotateOptions {
  /** Named by the user; empty: everything that is encrypted. */
  readonly resources: readonly DiscoveredResource[]
  readonly to: string | undefined
  readonly dryRun: boolean
  readonly yes: boolean
  /** How long servers may take to agree. */
  readonly agreementTimeoutMs: number
  readonly file: KeyFile | undefined
  readonly source: StoreSource | undefined
  readonly migrate: MigrateAllOptions
  /** The same command, with its flags. */
  readonly again: string
  readonly given: Given
}

const lookMs = 60_000
const pollMs = 1_000

/** Looks where a rotation is, takes the steps that it can, and stops at the first one that an operator has to take. */
export function rotateKeys(
  cluster: Cluster,
  options: RotateOptions,
  context: CliContext,
): Promise<RotationReport> {
  const rotation = new Rotation(cluster, options, context)
  return cluster.isStrata ? rotation.onStrata() : rotation.elsewhere()
}

class Rotation {
  readonly #cluster: Cluster
  readonly #options: RotateOptions
  readonly #context: CliContext
  readonly #migrations: MigrationReport[] = []

  constructor(cluster: Cluster, options: RotateOptions, context: CliContext) {
    this.#cluster = cluster
    this.#options = options
    this.#context = context
  }

  async onStrata(): Promise<RotationReport> {
    const { clock } = this.#context.world
    // Known by what was stored before this run rewrote it.
    let { to } = this.#options
    const endMs = clock.monotonicMs() + this.#options.agreementTimeoutMs
    for (;;) {
      const sight = await this.#look((signal) => observeKeyStates(this.#cluster.client, signal))
      const chosen = this.#chosenOf(sight)
      const step = decideRotation({ resources: chosen, to, rejecting: sight.rejecting })
      if ('to' in step) to ??= step.to
      if (step.step === 'agree' && clock.monotonicMs() < endMs && !this.#options.dryRun) {
        this.#context.progress?.(`waiting: ${step.because}`)
        await sleep(clock, pollMs, this.#context.signal)
        continue
      }
      this.#context.progress?.('')
      const wanted = step.step === 'rewrite' ? this.#servedOf(step.resources) : undefined
      if (wanted !== undefined && (await this.#rewrites(wanted))) continue
      return this.#reportOfRecords(step, chosen, sight)
    }
  }

  #chosenOf({ all }: KeySight): readonly KeyedResource[] {
    const names = new Set(this.#options.resources.map(groupResourceText))
    return names.size > 0 ? all.filter(({ resource }) => names.has(resource)) : encryptedOf(all)
  }

  #servedOf(names: readonly string[]): readonly DiscoveredResource[] {
    const served = allMigratable(this.#cluster.discovery.resources)
    return served.filter((each) => names.includes(groupResourceText(each)) && isMigratable(each))
  }

  /** Whether it was worth another look: each resource is rewritten once in a run. */
  async #rewrites(resources: readonly DiscoveredResource[]): Promise<boolean> {
    const { dryRun, yes, migrate } = this.#options
    const done = new Set(this.#migrations.map(({ resource }) => resource))
    const left = resources.filter((each) => !done.has(groupResourceText(each)))
    if (dryRun || left.length === 0) return false
    const names = left.map(groupResourceText).join(', ')
    if (!yes && !(await isConfirmed(this.#context, `Rewrite every object of ${names} with the new key?`)))
      return false
    this.#migrations.push(...(await migrateAll(this.#cluster, left, migrate, this.#context)))
    return !this.#context.signal.aborted
  }

  #reportOfRecords(step: RotationStep, chosen: readonly KeyedResource[], sight: KeySight): RotationReport {
    const served = this.#servedOf(chosen.map(({ resource }) => resource))
    const rules = rulesAbout(sight.rules, served)
    const keys = step.step === 'drop' ? step.keys : []
    const needed = stillNeededBy(keys, sight.all)
    const because = [...('because' in step ? [step.because] : []), ...needed].join('; ')
    const names = step.step === 'rewrite' ? step.resources : chosen.map(({ resource }) => resource)
    const advice =
      needed.length > 0
        ? { next: [`Rotate these too: ${this.#options.again}`] }
        : this.#advice(step, rules, names)
    return {
      ...{ step: step.step, ...advice, resources: chosen, unseen: [], migrations: this.#migrations },
      ...('to' in step ? { to: step.to } : {}),
      ...(because === '' ? {} : { because }),
      droppable: needed.length > 0 ? [] : keys,
      proof: step.step === 'drop' || step.step === 'done' ? 'proven' : 'unknown',
      exit: this.#exitOf(step.step, needed.length > 0),
    }
  }

  #advice(step: Parameters<typeof adviceFor>[0], rules: readonly WantedRule[], names: readonly string[]) {
    const { again, given } = this.#options
    return adviceFor(step, { rules, again, given, names })
  }

  #exitOf(step: string, isNeeded: boolean): ExitWord {
    if (this.#context.signal.aborted) return 'stopped'
    if (step === 'agree') return 'aborted'
    const migrated = this.#migrations.map(({ exit }) => exit)
    if (step === 'rewrite' && migrated.length > 0) return worstOf([...migrated, 'incomplete'])
    return !isNeeded && (step === 'drop' || step === 'done') ? 'proven' : 'incomplete'
  }

  async elsewhere(): Promise<RotationReport> {
    const { clock } = this.#context.world
    const endMs = clock.monotonicMs() + this.#options.agreementTimeoutMs
    let sinceMs: number | undefined
    let before: ElsewhereFacts['before']
    for (;;) {
      const startMs = clock.monotonicMs()
      const { facts, isSteady } = await this.#observe()
      if (!isSteady) sinceMs = undefined
      else sinceMs ??= startMs
      const hasStood = sinceMs !== undefined && startMs - sinceMs >= looseSettledMs
      const decided = decideRotationElsewhere({ ...facts, hasStood, before })
      const { next: step } = decided
      if (step.step === 'wait' && sinceMs !== undefined && !this.#options.dryRun) {
        const leftMs = Math.max(pollMs, sinceMs + looseSettledMs - clock.monotonicMs())
        this.#context.warn?.(
          `waiting ${Math.ceil(leftMs / 1_000)}s: until then a write under an older file may arrive`,
        )
        await sleep(clock, leftMs, this.#context.signal)
        continue
      }
      const isLate = clock.monotonicMs() >= endMs || this.#options.dryRun
      if (step.step === 'load' && step.because === undefined && !isLate) {
        await this.#untilLoaded(step.servers, endMs)
        continue
      }
      if (step.step === 'rewrite' && (await this.#rewrites(this.#options.resources))) {
        before ??= facts.store?.stored ?? []
        continue
      }
      return this.#reportOfElsewhere(facts, decided)
    }
  }

  /** kube-apiserver looks for another file once a minute, with automatic reload. The store is not read meanwhile. */
  async #untilLoaded(lacking: readonly string[], endMs: number): Promise<void> {
    const { file } = this.#options
    const { world, signal, progress, warn } = this.#context
    const text = `waiting until ${lacking.join(', ')} has loaded the file`
    if (progress) progress(text)
    else warn?.(text)
    while (world.clock.monotonicMs() < endMs) {
      await sleep(world.clock, pollMs, signal)
      const seen = await this.#look(() => observeServers(this.#cluster, this.#context))
      if (file === undefined || seen.loaded.every((each) => each.file === file.hash)) break
    }
    progress?.('')
  }

  /** Servers, store, and servers again: a server that changed its file meanwhile may have written under another key. */
  async #observe(): Promise<{ readonly facts: ElsewhereFacts; readonly isSteady: boolean }> {
    const { file, source, resources, to } = this.#options
    const look = () => this.#look(() => observeServers(this.#cluster, this.#context))
    const before = await look()
    const rules = fileFacts(file, resources)
    const keys = [...new Set((rules?.rules ?? []).flatMap(({ reads }) => reads))]
    const store = source && (await observeStored(this.#cluster, source, resources, keys, this.#context))
    const after = source === undefined ? before : await look()
    const facts: ElsewhereFacts = {
      ...{ to, file: rules, store, servers: after.servers, hasStood: false },
      loaded: [...before.loaded, ...after.loaded],
      blind: [...new Set([...before.blind, ...after.blind])],
      withoutMetric: [...new Set([...before.withoutMetric, ...after.withoutMetric])],
    }
    return { facts, isSteady: file !== undefined && haveAll(before, file) && haveAll(after, file) }
  }

  #reportOfElsewhere(
    facts: ElsewhereFacts,
    { next: step, unseen }: ReturnType<typeof decideRotationElsewhere>,
  ): RotationReport {
    const { resources, file } = this.#options
    const names = resources.map(groupResourceText)
    const rules = rulesAbout(
      (file?.rules ?? []).map(({ resources: patterns, reads }) => ({ resources: patterns, keys: reads })),
      resources,
    )
    const exit = this.#exitElsewhere(step.step, unseen, file !== undefined)
    const nameOf = (id: string): string | undefined =>
      facts.servers?.find(({ server }) => server === id)?.name
    const loaded = new Map(facts.loaded.map((each) => [each.server, { ...each, name: nameOf(each.server) }]))
    return {
      ...{ step: step.step, ...this.#advice(step, rules, names), unseen, migrations: this.#migrations },
      ...('to' in step ? { to: step.to } : {}),
      ...('because' in step && step.because !== undefined ? { because: step.because } : {}),
      droppable: step.step === 'drop' ? step.keys : [],
      proof: exit === 'observedClean' ? 'observed clean' : 'unknown',
      loaded: [...loaded.values()],
      ...(facts.store === undefined ? {} : { stored: facts.store.stored }),
      exit,
    }
  }

  #exitElsewhere(step: RotationReport['step'], unseen: readonly string[], hasFile: boolean): ExitWord {
    if (this.#context.signal.aborted) return 'stopped'
    return exitElsewhere({ step, unseen, hasFile, migrated: this.#migrations.map(({ exit }) => exit) })
  }

  #look<T>(act: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const looking = { limitMs: lookMs, patienceMs, isWorthIt: isTransient, onWait: () => {} }
    return withRetries(this.#context, act, looking)
  }
}

/** Every server that there is has just this file. */
function haveAll({ servers, loaded, blind }: ServersSight, { hash }: KeyFile): boolean {
  const isLoaded = (id: string): boolean => loaded.some(({ server, file }) => server === id && file === hash)
  return (
    servers !== undefined &&
    blind.length === 0 &&
    servers.every(({ server }) => isLoaded(server)) &&
    loaded.every(({ file }) => file === hash)
  )
}
