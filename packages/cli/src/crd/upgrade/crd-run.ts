import { type CustomResourceDefinition, jsonEqual, storageVersionNameOf } from '@strata/api'
import type { DiscoveredResource } from '@strata/client'
import { pruneDefinition } from '../../migration/evidence/prune-definition.ts'
import { notSeenError } from '../../migration/resources/cluster.ts'
import { patienceMs } from '../../migration/run/read-with-retries.ts'
import { whyNotAsWanted } from '../plan/as-applied.ts'
import { bridgeSpec } from '../plan/bridge-definition.ts'
import type { CrdStep } from '../plan/crd-plan.ts'
import { storedVersionsOf } from '../plan/decide-crd-plan.ts'
import type { CrdLook } from './crd-look.ts'
import { decideForeignChange } from './decide-foreign-change.ts'
import { KeptDefinitions } from './kept-definition.ts'
import { compareIn, countFirst, savedObjectsOf, stopOfLosses } from './look-at-crd.ts'
import { LossGroups } from './loss-groups.ts'
import { stagesOf, versionsToCompare } from './stages.ts'
import { stepText } from './step-text.ts'
import { untilReadable, untilServed } from './until-served.ts'
import type { UpgradeSession } from './upgrade-options.ts'
import { UpgradeStop } from './upgrade-stop.ts'
import { type CrdWrite, writeOfSpec } from './write/crd-write.ts'
import { decideStatusManager } from './write/decide-writer.ts'
import { writeOfDocument } from './write/document-write.ts'
import { type CrdChannel, readCrd, sendCrd } from './write/send-crd.ts'

type Definition = CustomResourceDefinition

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
  /** The spec before a bridge on which storage has not moved: nothing depends on that bridge yet. */
  #before: Definition['spec'] | undefined

  constructor(session: UpgradeSession, look: CrdLook) {
    const { cluster, context, options } = session
    this.look = look
    this.#session = session
    this.#channel = { cluster, context, forceConflicts: options.forceConflicts }
    this.#kept = new KeptDefinitions(session.directory)
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
    this.#session.context.warn?.(`${this.look.name}: ${stepText(step)}`)
    if (this.done.length === 0) await this.#checkStillEmpty()
    if (step.do === 'apply') await this.#apply()
    else if (step.do === 'bridge') await this.#bridge(step)
    else if (step.do === 'ask') await this.#ask(step.version)
    else await this.#prune()
    this.#finish(step)
  }

  /**
   * The resource to migrate, once the servers serve it in its storage version. Every object is compared again, because others
   * write objects between the plan and this step: the user may have thought about the plan for hours.
   */
  async migratable(): Promise<DiscoveredResource> {
    const live = await this.#current()
    const resource = await untilServed(this.#session, live, storageVersionNameOf(live) ?? '')
    const stored = storedVersionsOf(live)
    await this.#compare(versionsToCompare(live, { stored, steps: this.#rest }))
    return resource
  }

  /** Throws if others have changed the CRD. */
  async check(): Promise<void> {
    await this.#current()
  }

  migrated(): void {
    const [step] = this.#rest
    if (step !== undefined) this.#finish(step)
  }

  /** Without objects no webhook is asked, and nothing is compared. */
  async #checkStillEmpty(): Promise<void> {
    const { objects, live, name } = this.look
    if (objects !== 0 || live === undefined) return
    const now = await countFirst(this.#session, live)
    if (now === 0) return
    throw now === undefined
      ? new UpgradeStop('not seen', 'notSeen', `the objects of ${name} cannot be read`, again)
      : new UpgradeStop('aborted', 'aborted', `objects of ${name} were created since the plan`, again)
  }

  #finish(step: CrdStep): void {
    this.done.push(stepText(step))
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
      if (seen === undefined || sent !== undefined) return seen
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

  async #write(make: (live: Definition | undefined) => CrdWrite): Promise<Definition> {
    const { name, original } = this.look
    this.#live = await sendCrd(this.#channel, name, {
      check: (sent) => this.#checked(sent),
      make,
      before: ({ spec }) => {
        if (original === undefined) return
        const sent = this.#live === undefined ? [spec] : [this.#live.spec, spec]
        this.#kept.keep(name, { original, sent, isLast: this.next?.do === 'apply' })
      },
    })
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
      await this.#compare([version])
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

  async #compare(versions: readonly string[]): Promise<void> {
    const { name, document, live } = this.look
    const now = this.#live ?? live
    if (now === undefined) return
    const groups = new LossGroups(name, this.#session.options.acceptLoss)
    const saved = savedObjectsOf(this.#session, name)
    const stages = stagesOf(now, document.crd, this.#rest)
    try {
      for (const each of versions) await compareIn(this.#session, now, stages, each, groups, saved)
    } finally {
      saved.close()
    }
    if (saved.path !== undefined) this.#session.context.warn?.(`${name}: objects saved in ${saved.path}`)
    const stop = stopOfLosses(groups)
    if (stop !== undefined) throw stop
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
    const { document, writer } = this.look
    const live = await this.#write((now) =>
      writeOfDocument(document, now, writer, this.#session.options.back),
    )
    const because = whyNotAsWanted(live, document.crd)
    if (because !== undefined) throw new UpgradeStop('stopped', 'incomplete', because, otherWriters)
    await untilReadable(this.#session, live)
  }
}
