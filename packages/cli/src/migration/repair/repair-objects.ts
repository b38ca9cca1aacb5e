import { groupResourceText } from '@strata/api'
import { type DiscoveredResource, isTransient } from '@strata/client'
import { decideAddress, type MigrationTarget, migrationLimits, rewriteOne } from '@strata/controllers'
import type { CliContext } from '../../context.ts'
import { CliError } from '../../output/errors.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import type { StoreSource } from '../../stored/observe-store.ts'
import { lostVersionOf, wayBack } from '../evidence/lost-version.ts'
import { type Cluster, notSeenError } from '../resources/cluster.ts'
import type { Given } from '../resources/given-flags.ts'
import { patienceMs, withRetries } from '../run/read-with-retries.ts'
import { askAboutObject, type Choice } from './ask-about-object.ts'
import { decideWays, type ObjectFacts } from './decide-ways.ts'
import { deleteUndecodable } from './delete-undecodable.ts'
import { notSetAsideText } from './not-set-aside.ts'
import { observeIsCustom, observeObject } from './observe-facts-of.ts'
import {
  nameOf,
  observeSetAside,
  type SetAside,
  type SetAsideSight,
  UnnamedUndecodable,
} from './observe-set-aside.ts'
import type { RepairedResource, RepairReport, RepairResult } from './repair-report.ts'

export interface RepairOptions {
  /** Only these, as `namespace/name`; all that are set aside if empty. */
  readonly objects: readonly string[]
  readonly retry: boolean
  readonly deleteUndecodable: boolean
  readonly dryRun: boolean
  /** Asks about each object. */
  readonly isAsking: boolean
  readonly source: StoreSource | undefined
  /** The flags that name the store, as they were given. */
  readonly store: string | undefined
  readonly directory: string
  readonly given: Given
}

type Wanted = 'retry' | 'delete' | 'nothing'
type Done = Pick<RepairReport, 'result'> & Partial<RepairReport>

const { requestTimeoutMs } = migrationLimits
const lookMs = 60_000
const mostTakeOffs = 4

/** Repairs what is set aside of one resource: object by object. A failure of the servers becomes a report. */
export async function repairResource(
  cluster: Cluster,
  resource: DiscoveredResource,
  options: RepairOptions,
  context: CliContext,
): Promise<RepairedResource> {
  const name = groupResourceText(resource)
  try {
    const sight = await observeSetAside(cluster, resource, options.source, context)
    return await new Repair(cluster, resource, sight, options, context).run()
  } catch (error) {
    const isMistyped = error instanceof CliError && error.exitCode === exitCodes.usage
    if (context.signal.aborted || isMistyped) throw error
    const because =
      error instanceof UnnamedUndecodable
        ? unnamedText(name, error.message)
        : notSeenError('it could not be read', error).message
    return { resource: name, objects: [], unnamed: 0, because, exit: 'notSeen' }
  }
}

function unnamedText(name: string, message: string): string {
  const lost = lostVersionOf(message)
  const next =
    lost === undefined
      ? `name the store to see which: strata repair ${name} --etcd-servers ENDPOINTS`
      : wayBack(lost, name)
  return `its objects cannot be listed, because some cannot be decoded: ${message}. Next: ${next}`
}

class Repair {
  readonly #cluster: Cluster
  readonly #resource: DiscoveredResource
  readonly #sight: SetAsideSight
  readonly #options: RepairOptions
  readonly #context: CliContext
  #target: Promise<MigrationTarget | string> | undefined
  #hasQuit = false

  constructor(
    cluster: Cluster,
    resource: DiscoveredResource,
    sight: SetAsideSight,
    options: RepairOptions,
    context: CliContext,
  ) {
    this.#cluster = cluster
    this.#resource = resource
    this.#sight = sight
    this.#options = options
    this.#context = context
  }

  async run(): Promise<RepairedResource> {
    const { client } = this.#cluster
    const { signal } = this.#context
    const isCustom = await observeIsCustom(client, this.#resource, signal)
    const reports: RepairReport[] = []
    for (const each of await this.#chosen()) {
      if (signal.aborted) break
      const { store } = this.#options
      const seen = { isCustom: isCustom === true, store }
      const facts = await observeObject(client, this.#resource, each, seen, this.#context).catch(
        (error: unknown) => {
          if (!signal.aborted) throw error
        },
      )
      if (facts === undefined) break
      reports.push(await this.#repairOne(each, facts, isCustom))
    }
    const because = await this.#takeOff(reports)
    const { unnamed } = this.#sight
    const resource = groupResourceText(this.#resource)
    return { resource, objects: reports, unnamed, ...(because === undefined ? {} : { because }) }
  }

  async #chosen(): Promise<readonly SetAside[]> {
    const { objects: named } = this.#options
    const { objects } = this.#sight
    if (named.length === 0) return objects
    const all = new Map(objects.map((each) => [nameOf(each), each]))
    const chosen: SetAside[] = []
    for (const text of named) {
      const found = all.get(text)
      if (found === undefined) throw await this.#whyNotChosen(text)
      chosen.push(found)
    }
    return chosen
  }

  async #whyNotChosen(text: string): Promise<CliError> {
    const [name = '', namespace] = text.split('/').reverse()
    const reference = namespace === undefined ? { name } : { namespace, name }
    const object = { ...reference, reason: 'Undecodable', message: '', isRecorded: false }
    const seen = { isCustom: false, store: undefined }
    const { now } = await observeObject(this.#cluster.client, this.#resource, object, seen, this.#context)
    return new CliError(notSetAsideText(`${groupResourceText(this.#resource)} ${text}`, now), exitCodes.usage)
  }

  async #repairOne(
    object: SetAside,
    facts: ObjectFacts,
    isCustom: boolean | undefined,
  ): Promise<RepairReport> {
    const { namespace, name, isRecorded } = object
    const { given } = this.#options
    const where = isRecorded ? this.#sight.record?.where : undefined
    const reportOf = (seen: ObjectFacts, done: Done): RepairReport => ({
      ...{
        resource: groupResourceText(this.#resource),
        namespace,
        name,
        reason: seen.reason,
        message: seen.message,
      },
      ...{ now: seen.now, ways: decideWays(seen, given), record: where },
      ...done,
    })
    const report = reportOf(facts, { result: 'set aside' })
    if (!this.#options.isAsking)
      return reportOf(facts, await this.#tryTo(this.#wanted(facts), object, isCustom))
    for (let seen = report; ; ) {
      if (this.#hasQuit) return seen
      const choice = await this.#ask(seen)
      this.#hasQuit = choice === 'quit'
      if (choice === 'skip' || choice === 'quit') return seen
      const done = await this.#tryTo(choice, object, isCustom)
      seen = reportOf(
        {
          ...facts,
          ...(done.reason === undefined ? {} : { reason: done.reason }),
          ...(done.message === undefined ? {} : { message: done.message }),
        },
        done,
      )
      if (isOver(done.result)) return seen
    }
  }

  /** The end of the input, and Ctrl-C, must not hide what was done to the objects before. */
  async #ask(seen: RepairReport): Promise<Choice> {
    try {
      return await askAboutObject(seen, this.#options.source !== undefined, this.#context)
    } catch (error) {
      if (!this.#context.signal.aborted) throw error
      return 'quit'
    }
  }

  /** What the flags ask for. */
  #wanted({ now }: ObjectFacts): Wanted {
    const { retry, deleteUndecodable: deletes } = this.#options
    if (now === 'undecodable') return deletes ? 'delete' : retry ? 'retry' : 'nothing'
    return retry ? 'retry' : 'nothing'
  }

  /** A failure at one object must not hide what was done to those before it. */
  async #tryTo(what: Wanted, object: SetAside, isCustom: boolean | undefined): Promise<Done> {
    try {
      return await this.#act(what, object, isCustom)
    } catch (error) {
      if (this.#context.signal.aborted)
        return {
          result: 'unknown',
          because: 'it was stopped, and a request may have been sent: run it again',
        }
      return { result: 'not seen', because: notSeenError('it could not be repaired', error).message }
    }
  }

  async #act(what: Wanted, object: SetAside, isCustom: boolean | undefined): Promise<Done> {
    if (what === 'nothing') return { result: 'set aside' }
    if (what === 'delete') {
      const { source, directory, dryRun } = this.#options
      const asked = { source, isCustom, directory, dryRun }
      return deleteUndecodable(this.#cluster, this.#resource, referenceOf(object), asked, this.#context)
    }
    this.#target ??= this.#observeTarget()
    const target = await this.#target
    if (typeof target === 'string') return { result: 'not seen', because: target }
    const { discovery, client } = this.#cluster
    const decision = decideAddress(target, discovery.resources)
    if (decision.kind === 'not migratable') return { result: 'not seen', because: decision.because }
    const { dryRun } = this.#options
    const { world, signal } = this.#context
    const how = { world, client, address: decision.address, fenced: target.fenced, dryRun, requestTimeoutMs }
    const rewritten = await rewriteOne({ ...how, object: referenceOf(object) }, signal)
    if (rewritten.kind === 'gone') return { result: 'gone' }
    if (rewritten.kind === 'rewritten') return { result: dryRun ? 'would be mended' : 'mended' }
    const { reason, message } = rewritten
    return { result: 'refused', reason, message, because: `${reason}: ${message}` }
  }

  /** What the servers write now; or why that is not known, or may not be written. */
  async #observeTarget(): Promise<MigrationTarget | string> {
    const looking = { limitMs: lookMs, patienceMs, isWorthIt: isTransient, onWait: () => {} }
    const look = <T>(act: (signal: AbortSignal) => Promise<T>) => withRetries(this.#context, act, looking)
    const denied = await look((signal) => this.#cluster.missingRights(this.#resource, signal))
    if (denied !== undefined) return denied
    const decision = await look((signal) => this.#cluster.observe(this.#resource, signal))
    return decision.agreed ? decision.target : `nothing was written: ${decision.because}`
  }

  /** Takes what is mended or gone off the record. Returns why that was not done, where it had to be. */
  async #takeOff(reports: readonly RepairReport[]): Promise<string | undefined> {
    const off = reports.filter(({ result, record }) => record !== undefined && takenOff.has(result))
    if (off.length === 0 || this.#sight.record === undefined) return undefined
    const { signal } = this.#context
    const { records } = this.#sight
    let record: SetAsideSight['record'] = this.#sight.record
    const notTaken = (why: string): string =>
      `${record?.where ?? 'the record'} still counts what is mended: ${why}`
    try {
      for (let tries = 0; tries < mostTakeOffs && record !== undefined; tries++) {
        if (record.end === undefined) break
        if (await records.takeOff(record, off.map(referenceOf), signal)) return undefined
        record = await records.readLatest(signal)
      }
    } catch (error) {
      return notTaken(signal.aborted ? 'it was stopped' : notSeenError('it was not written', error).message)
    }
    return notTaken(record?.end === undefined ? 'the migration is not over' : 'it was changed meanwhile')
  }
}

const takenOff: ReadonlySet<RepairResult> = new Set(['mended', 'gone', 'deleted'])
const isOver = (result: RepairResult): boolean => result !== 'refused' && result !== 'not seen'

const referenceOf = ({ namespace, name }: { namespace?: string | undefined; name: string }) =>
  namespace === undefined ? { name } : { namespace, name }
