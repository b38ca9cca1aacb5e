import { type CustomResourceDefinition, jsonEqual, storageVersionNameOf } from '@strata/api'
import type { DiscoveredResource } from '@strata/client'
import { pruneDefinition } from '../../migration/evidence/prune-definition.ts'
import { notSeenError } from '../../migration/resources/cluster.ts'
import type { WriteStop } from '../../migration/run/migration-job.ts'
import { patienceMs } from '../../migration/run/read-with-retries.ts'
import { versionNames, whyNotAsWanted } from '../plan/as-applied.ts'
import { bridgeSpec } from '../plan/bridge-definition.ts'
import type { CrdStep } from '../plan/crd-plan.ts'
import { storedVersionsOf } from '../plan/decide-crd-plan.ts'
import { stepText } from '../plan/step-text.ts'
import type { CrdLook } from './crd-look.ts'
import { decideForeignChange } from './decide-foreign-change.ts'
import { KeptDefinitions } from './kept-definition.ts'
import { countObjects } from './look-at-crd.ts'
import { ObjectChecks } from './object-checks.ts'
import { versionsToCompare } from './stages.ts'
import { untilReadable, untilServed } from './until-served.ts'
import type { UpgradeSession } from './upgrade-options.ts'
import { UpgradeStop } from './upgrade-stop.ts'
import { type CrdWrite, writeOfSpec } from './write/crd-write.ts'
import { decideStatusManager } from './write/decide-writer.ts'
import { writeOfDocument } from './write/document-write.ts'
import { type CrdChannel, readCrd, sendCrd } from './write/send-crd.ts'

type Definition = CustomResourceDefinition

/** How long a comparison counts. */
const freshMs = 10_000
const again = 'run the same command again'
const otherWriters = 'a webhook, a proxy or another field manager changes writes of CRDs'

/** One CRD on its way from the live to the new one. */
export class CrdRun {
  readonly look: CrdLook
  readonly done: string[] = []
  readonly #session: UpgradeSession
  readonly #channel: CrdChannel
  readonly #kept: KeptDefinitions
  #live: Definition | undefined
  #rest: readonly CrdStep[]
  readonly #checks: ObjectChecks
  /** The spec before a bridge on which storage has not moved: nothing depends on that bridge yet. */
  #before: Definition['spec'] | undefined
  /** The spec before the last write that moved the storage version. */
  #unmoved: Definition['spec'] | undefined
  #isCompared = false
  /** Why its objects must not be rewritten. */
  #refusal: UpgradeStop | undefined

  constructor(session: UpgradeSession, look: CrdLook) {
    const { cluster, context, options } = session
    this.look = look
    this.#session = session
    this.#channel = { cluster, context, forceConflicts: options.forceConflicts }
    this.#kept = new KeptDefinitions(session.directory, context.world.random)
    this.#checks = new ObjectChecks(session, look)
    this.#live = look.live
    this.#rest = look.plan.steps
  }

  get next(): CrdStep | undefined {
    return this.#rest[0]
  }

  /** Takes the next step, unless it is a migration: those run together. */
  async step(): Promise<void> {
    const [step] = this.#rest
    if (step === undefined || step.do === 'migrate') return
    this.#session.context.warn?.(`${this.look.name}: ${stepText(step, this.look.file)}`)
    if (this.done.length === 0) await this.#checkStillTrue()
    if (step.do === 'apply') await this.#apply()
    else if (step.do === 'bridge') await this.#bridge(step)
    else if (step.do === 'ask') await this.#ask(step.version)
    else await this.#prune()
    this.#finish(step)
  }

  /** The resource to migrate, once the servers serve it in its storage version. */
  async migratable(): Promise<DiscoveredResource> {
    const live = await this.#current()
    return untilServed(this.#session, live, storageVersionNameOf(live) ?? '')
  }

  /**
   * Compares every object again, once all servers know the bridge and before the first is rewritten. Others write objects after the
   * plan, and a server that does not know the bridge yet stores fields that the rewrite would remove.
   */
  async checkObjects(signal: AbortSignal): Promise<WriteStop | undefined> {
    // Ends with the migration, whatever ends that.
    const session = { ...this.#session, context: { ...this.#session.context, signal } }
    try {
      const live = await this.#current()
      await this.#compare(session, live)
      await this.#checks.returned(session, live)
      this.#isCompared = true
      return undefined
    } catch (error) {
      if (signal.aborted) return undefined
      if (!(error instanceof UpgradeStop)) {
        return { kind: 'failed', because: this.#notCompared(error).message }
      }
      this.#refusal = error
      return { kind: 'aborted', because: error.message }
    }
  }

  /** Why its objects were not rewritten. What clients write is stored in the old version again, as far as that is possible. */
  async refusal(): Promise<UpgradeStop | undefined> {
    return this.#refusal && this.#moveBack(this.#refusal)
  }

  /** Throws if others have changed the CRD. */
  async check(): Promise<void> {
    await this.#current()
  }

  migrated(): void {
    const [step] = this.#rest
    const isByWebhook = this.#live?.spec.conversion?.strategy === 'Webhook'
    if (isByWebhook && !this.#isCompared && this.look.objects !== 0) {
      const what = 'another process rewrote the objects, or they were current:'
      const { name } = this.look
      this.#session.context.warn?.(`${name}: ${what} what the conversion webhook keeps was not compared`)
    }
    if (step !== undefined) this.#finish(step)
  }

  /** Without objects no webhook is asked. The user may have thought about the plan for hours. */
  async #checkStillTrue(): Promise<void> {
    const { objects, live, name } = this.look
    if (live === undefined) return
    if (objects !== 0) {
      // Before it applies the file, it compares in any case.
      if (this.#isOld && this.next?.do !== 'apply') await this.#compare(this.#session, await this.#current())
      return
    }
    const now = await countObjects(this.#session, live)
    if (now?.any === false) return
    throw now === undefined
      ? new UpgradeStop('not seen', 'notSeen', `the objects of ${name} cannot be read`, again)
      : new UpgradeStop('aborted', 'aborted', `objects of ${name} were created since the plan`, again)
  }

  #finish(step: CrdStep): void {
    this.done.push(stepText(step, this.look.file))
    this.#rest = this.#rest.slice(1)
  }

  /** The CRD, if its spec is as this process left it. */
  async #current(): Promise<Definition> {
    const { name } = this.look
    const seen = await this.#checked(undefined)
    if (seen === undefined) throw new UpgradeStop('aborted', 'aborted', `${name} is gone`)
    return seen
  }

  async #checked(sent: Definition['spec'] | undefined): Promise<Definition | undefined> {
    const { name, original } = this.look
    const seen = await readCrd(this.#channel, name)
    const left = this.#live
    if (left === undefined) {
      if (seen === undefined || (sent !== undefined && jsonEqual(seen.spec, sent))) return seen
      throw new UpgradeStop(
        ...(['aborted', 'aborted', `${name} was created meanwhile`, 'run it again'] as const),
      )
    }
    const isOurs = seen !== undefined && sent !== undefined && seen.metadata.uid === left.metadata.uid
    const change = decideForeignChange({ name, left, original: original ?? left, seen })
    // With a write under way whose answer was lost, the caller finds out whose change it is.
    if (change.kind === 'foreign' && !(isOurs && jsonEqual(seen.spec, sent))) {
      throw new UpgradeStop('aborted', 'aborted', change.because, change.next)
    }
    this.#live = seen
    return seen
  }

  async #write(
    make: (live: Definition | undefined) => CrdWrite,
    { isLast = this.next?.do === 'apply', isUnchecked = false, before = async () => {} } = {},
  ): Promise<Definition> {
    const { name, original } = this.look
    this.#live = await sendCrd(this.#channel, name, {
      check: (sent) => this.#checked(sent),
      make,
      before: async ({ spec }) => {
        await before()
        if (original === undefined) return
        const sent = this.#live === undefined ? [spec] : [this.#live.spec, spec]
        this.#kept.keep(name, { original, sent, isLast, isUnchecked })
      },
    })
    if (original === undefined) this.#kept.noteCreated(this.#live)
    return this.#live
  }

  async #bridge(step: CrdStep & { readonly do: 'bridge' }): Promise<void> {
    const { writer, name, document } = this.look
    const before = this.#live
    const isUnmoved = before !== undefined && storageVersionNameOf(before) === step.storage
    const live = await this.#write((now) => {
      if (now === undefined) throw new UpgradeStop('aborted', 'aborted', `${name} is gone`)
      return writeOfSpec(now, bridgeSpec(now, document.crd, step), writer)
    })
    this.#before = isUnmoved ? before.spec : undefined
    if (!isUnmoved) this.#unmoved = before?.spec
    if (storageVersionNameOf(live) !== step.storage) {
      const because = `the server answered with another storage version: ${storageVersionNameOf(live)}`
      throw new UpgradeStop('stopped', 'incomplete', because, otherWriters)
    }
    await untilServed(this.#session, this.#live ?? this.look.document.crd, step.serve ?? step.storage)
  }

  /** If the webhook does not answer, the spec from before goes back: nothing depends on the bridge yet. */
  async #ask(version: string): Promise<void> {
    const { name } = this.look
    await untilServed(this.#session, this.#live ?? this.look.document.crd, version)
    try {
      const live = this.#live ?? this.look.live
      if (live !== undefined) await this.#checks.stored(this.#session, live, this.#rest, [version])
    } catch (error) {
      if (this.#session.context.signal.aborted) throw error
      const back = await this.#takeBack()
      if (error instanceof UpgradeStop) throw error
      const { message } = notSeenError(
        `the conversion webhook did not answer for every object of ${name}`,
        error,
      )
      throw new UpgradeStop('stopped', 'incomplete', message, `install the webhook first; ${back}`)
    }
  }

  async #takeBack(): Promise<string> {
    const { original, live, name, writer } = this.look
    const now = this.#live
    const wasBridged = original !== undefined && live !== undefined && !jsonEqual(original.spec, live.spec)
    const isUnmoved =
      wasBridged && now !== undefined && storageVersionNameOf(now) === storageVersionNameOf(original)
    const spec = this.#before ?? (isUnmoved ? original.spec : undefined)
    if (spec === undefined) return `${name} is as it was`
    await this.#write((seen) => {
      if (seen === undefined) throw new UpgradeStop('aborted', 'aborted', `${name} is gone`)
      return writeOfSpec(seen, spec, writer)
    })
    return 'the bridge was taken back'
  }

  async #compare(session: UpgradeSession, live: Definition): Promise<void> {
    const versions = versionsToCompare(live, { stored: storedVersionsOf(live), steps: this.#rest })
    await this.#checks.stored(session, live, this.#rest, versions)
  }

  /** Others write objects while every one is compared, and until the file is applied. */
  async #compareRecent(live: Definition | undefined): Promise<void> {
    if (live === undefined) return
    const versions = versionsToCompare(live, { stored: storedVersionsOf(live), steps: this.#rest })
    try {
      await this.#checks.recent(live, this.#rest, versions)
    } catch (error) {
      if (error instanceof UpgradeStop || this.#session.context.signal.aborted) throw error
      throw this.#notCompared(error)
    }
  }

  #notCompared(error: unknown): UpgradeStop {
    const { message } = notSeenError(`the objects of ${this.look.name} cannot be compared`, error)
    return new UpgradeStop('not seen', 'notSeen', message, again)
  }

  /** Others may have written objects since they were compared. */
  get #isOld(): boolean {
    return this.#session.context.world.clock.monotonicMs() - this.look.atMs > freshMs
  }

  /** Nothing was rewritten: what clients write is stored in the old version again, if the spec from before can be written. */
  async #moveBack(stop: UpgradeStop): Promise<UpgradeStop> {
    const [spec, now] = [this.#unmoved, this.#live]
    if (spec === undefined || now === undefined) return stop
    const before = { ...now, spec }
    const names = versionNames(before)
    if (!storedVersionsOf(now).every((each) => names.includes(each))) return stop
    await this.#write(
      (live) => {
        if (live === undefined) throw new UpgradeStop('aborted', 'aborted', `${this.look.name} is gone`)
        return writeOfSpec(live, spec, this.look.writer)
      },
      { isLast: false },
    )
    this.#unmoved = undefined
    const next = `the storage version is ${storageVersionNameOf(before)} again; ${stop.next}`
    return new UpgradeStop(stop.result, stop.exit, stop.message, next)
  }

  async #prune(): Promise<void> {
    const { cluster, context, options } = this.#session
    const live = await this.#current()
    const fieldManager = decideStatusManager(live)
    const pruning = { accept: options.accept, dryRun: false, patienceMs, fieldManager }
    const { result, because, exit, next } = await pruneDefinition(cluster, this.look.name, pruning, context)
    if (result !== 'pruned' && result !== 'nothing to prune') {
      throw new UpgradeStop('stopped', exit, because, next)
    }
    await this.#current()
  }

  async #apply(): Promise<void> {
    const { document, writer, live: known, name } = this.look
    const before = known === undefined ? undefined : await this.#current()
    if (before !== undefined && (this.done.length > 0 || this.#isOld)) {
      await this.#compare(this.#session, before)
    }
    const isMoving =
      before !== undefined && storageVersionNameOf(before) !== storageVersionNameOf(document.crd)
    const isByWebhook = isMoving && document.crd.spec.conversion?.strategy === 'Webhook'
    const live = await this.#write(
      (now) => writeOfDocument(document, now, writer, this.#session.options.back),
      { isUnchecked: isByWebhook, before: () => this.#compareRecent(before) },
    )
    const because = whyNotAsWanted(live, document.crd)
    if (because !== undefined) throw new UpgradeStop('stopped', 'incomplete', because, otherWriters)
    await untilReadable(this.#session, live)
    if (!isByWebhook) return
    this.#session.context.warn?.(`${name}: compare every object with what the conversion webhook keeps`)
    try {
      await this.#checks.returned(this.#session, live)
      this.#kept.noteChecked(name)
    } catch (error) {
      if (!(error instanceof UpgradeStop)) throw error
      this.#unmoved = before.spec
      throw await this.#moveBack(error)
    }
  }
}
