import { ApiError, type GroupResource, groupResourceText, versionNameOf } from '@strata/api'
import type { Client, ResourceClient } from '@strata/client'
import { type Claim, claimIn, pausedAnnotation, pausing } from '@strata/controllers'
import { timestamp, uuid, type World } from '@strata/world'
import { CliError } from '../../output/errors.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { claimed, type Found, HeldObject, whereOf } from './held-object.ts'
import { type AnyMigration, endOf, type MigrationForm, migrationForms } from './migration-form.ts'
import { byUrgency, isAbout, pastOf, stateOf } from './object-state.ts'
import type { RecordState, RecordStore } from './record.ts'

/** Others write migrations too; none of them all the time. */
const mostTries = 8

export interface ObjectRecordsOptions {
  readonly client: Client
  readonly resource: GroupResource
  /** Through which version it is served, for kinds that want to know. */
  readonly servedVersion: string
  /** Groups in which migrations are served. */
  readonly groups: readonly string[]
  readonly world: Pick<World, 'clock' | 'random' | 'processes'>
}

/**
 * StorageVersionMigrations as the place where a run is written down: everybody sees it, the controllers leave it alone
 * while it is claimed, and whoever goes on with it finds where. It is named after its resource, so that of two who begin
 * at once one is refused.
 */
export function createObjectRecords(options: ObjectRecordsOptions): RecordStore {
  return new ObjectRecords(options)
}

class ObjectRecords implements RecordStore {
  readonly #options: ObjectRecordsOptions
  readonly #forms: readonly MigrationForm[]

  constructor(options: ObjectRecordsOptions) {
    this.#options = options
    this.#forms = migrationForms.filter(({ definition }) => options.groups.includes(definition.group))
  }

  readOpen: RecordStore['readOpen'] = async (signal) => {
    const open = (await this.#list(signal)).filter(({ object }) => endOf(object) === undefined)
    const first = [...open].sort(byUrgency)[0]
    return first && stateOf(first)
  }

  readById: RecordStore['readById'] = async (id, signal) => {
    const found = await this.#find(id, signal)
    return found && stateOf(found)
  }

  readPast: RecordStore['readPast'] = async (signal) => {
    const past = (await this.#list(signal)).flatMap((found) => pastOf(found, this.#options.resource))
    return past.sort((a, b) => ((a.at ?? '') < (b.at ?? '') ? 1 : -1))
  }

  claim: RecordStore['claim'] = async (open, target, signal) => {
    const { processes, random, clock } = this.#options.world
    const { self, hostname } = processes
    const claim: Claim = { by: 'command', ...self, hostname, id: uuid(random) }
    const written = target.encodingVersion
    const versionName = written === undefined ? this.#options.servedVersion : versionNameOf(written)
    const found = open
      ? await this.#take(open, claim, signal)
      : await this.#begin(versionName, claimed(claim, clock), signal)
    if (found === undefined) return undefined
    const held = new HeldObject(this.#objects(found.form), found, claim, clock)
    if (await this.#isContested(found, signal)) {
      await this.#giveWay(found, held, open, signal)
      return undefined
    }
    return (await held.begin(signal)) === 'saved' ? held : undefined
  }

  endCancelled: RecordStore['endCancelled'] = async ({ id, mark }, signal) => {
    const found = await this.#find(id, signal)
    if (found?.object.metadata.resourceVersion !== mark) return false
    const { form, object } = found
    const said = { message: 'it was cancelled', at: timestamp(this.#options.world.clock) }
    const conditions = form.conditionsOf(object.status?.conditions ?? [], 'Failed', said)
    const ended = { ...object, status: { ...object.status, conditions } }
    const written = await attempt(() => this.#objects(form).updateSubresource('status', ended, signal))
    return written !== undefined
  }

  request: RecordStore['request'] = async (signal) => {
    if (this.#forms.length === 0) return undefined
    for (let tries = 1; tries <= mostTries; tries++) {
      const open = await this.readOpen(signal)
      if (open?.isCancelled) await this.endCancelled(open, signal)
      else if (open === undefined) {
        const found = await this.#begin(this.#options.servedVersion, {}, signal)
        if (found) return { where: whereOf(found), wasPaused: false }
      } else {
        const { where, isPaused: wasPaused, claim } = open
        const heldBy = claim && claim.by !== 'runner' && !this.#isGone(claim) ? { heldBy: claim } : {}
        if (!wasPaused || (await this.#unpause(open, signal))) return { where, wasPaused, ...heldBy }
      }
    }
    throw new CliError('others change its migrations all the time: try it again', exitCodes.notSeen)
  }

  handOver: RecordStore['handOver'] = (where) => `kubectl annotate ${where} ${pausedAnnotation}-`

  /**
   * Somebody has claimed another migration of the same resource a moment ago, and may not have seen ours. Each claims
   * first and looks then, so that at least one of the two sees the other, and gives way.
   */
  async #isContested({ object }: Found, signal: AbortSignal): Promise<boolean> {
    return (await this.#list(signal)).some(({ object: other }) => {
      const claim = claimIn(other.metadata.annotations)
      const isOpen = other.metadata.uid !== object.metadata.uid && endOf(other) === undefined
      return isOpen && claim !== undefined && !this.#isGone(claim)
    })
  }

  async #giveWay(
    { form, object }: Found,
    held: HeldObject,
    before: RecordState | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    if (before) await held.giveBack(before.isPaused ? pausing(before.failure) : {}, signal)
    else {
      const { name = '' } = object.metadata
      await attempt(() => this.#objects(form).delete({ name }, { preconditions: uidOf(object) }, signal))
    }
  }

  /** Undefined if it is not as it was seen. */
  async #take(seen: RecordState, claim: Claim, signal: AbortSignal): Promise<Found | undefined> {
    const now = await this.#find(seen.id, signal)
    if (now === undefined || now.object.metadata.resourceVersion !== seen.mark) return undefined
    const { name = '', resourceVersion } = now.object.metadata
    const annotations = { ...claimed(claim, this.#options.world.clock), [pausedAnnotation]: null }
    const patch = { metadata: { resourceVersion, annotations } }
    return attempt(async () => ({
      form: now.form,
      object: await this.#objects(now.form).patch({ name }, patch, signal),
    }))
  }

  /** Undefined if it is not as it was seen: whoever has it by now may be told otherwise. */
  async #unpause({ id, mark }: RecordState, signal: AbortSignal): Promise<AnyMigration | undefined> {
    const found = await this.#find(id, signal)
    if (found === undefined) return undefined
    const { name = '' } = found.object.metadata
    const patch = { metadata: { resourceVersion: mark, annotations: { [pausedAnnotation]: null } } }
    return attempt(() => this.#objects(found.form).patch({ name }, patch, signal))
  }

  /** In the place of one that is over. */
  async #begin(
    versionName: string,
    annotations: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Found | undefined> {
    const { resource } = this.#options
    const [form] = this.#forms
    if (form === undefined) return undefined
    const name = `strata-migrate-${groupResourceText(resource)}`
    const objects = this.#objects(form)
    const isBefore = ({ form: other, object }: Found): boolean =>
      other === form && object.metadata.name === name
    const before = (await this.#list(signal)).find(isBefore)?.object
    if (before && endOf(before) === undefined) return undefined
    if (before?.metadata.deletionTimestamp !== undefined) {
      const where = whereOf({ form, object: before })
      const why = `${where} is being deleted, and a finalizer keeps it: what is begun now is called the same`
      throw new CliError(why, exitCodes.notSeen)
    }
    return attempt(async () => {
      if (before) await objects.delete({ name }, { preconditions: uidOf(before) }, signal)
      const object: AnyMigration = {
        metadata: { name, annotations },
        spec: form.specOf(resource, versionName),
      }
      return { form, object: await objects.create(object, signal) }
    })
  }

  #isGone(claim: Claim): boolean {
    return this.#options.world.processes.isGone(claim)
  }

  async #list(signal: AbortSignal): Promise<readonly Found[]> {
    const pages = await Promise.all(
      this.#forms.map(async (form) => {
        const { items } = await this.#objects(form).list({}, signal)
        return items
          .filter((each) => isAbout(each, this.#options.resource))
          .map((object) => ({ form, object }))
      }),
    )
    return pages.flat()
  }

  async #find(id: string, signal: AbortSignal): Promise<Found | undefined> {
    return (await this.#list(signal)).find(({ object }) => object.metadata.uid === id)
  }

  #objects({ definition, versionName }: MigrationForm): ResourceClient<AnyMigration> {
    return this.#options.client.resource(definition, versionName)
  }
}

const uidOf = ({ metadata: { uid = '' } }: AnyMigration): { readonly uid: string } => ({ uid })

/** A lost race is not a failure. */
async function attempt<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof ApiError && (error.code === 409 || error.code === 404)) return undefined
    throw error
  }
}
