import {
  type GroupResource,
  groupResourceText,
  type ResourceDefinition,
  storageVersionMigrations,
  versionedMigrations,
  versionNameOf,
} from '@strata/api'
import { type Client, isConflict, isNotFound, type ResourceClient } from '@strata/client'
import { claimAnnotations, endOf, isContested } from '@strata/controllers'
import {
  type Claim,
  isEnded,
  type MigrationGroup,
  type MigrationObject,
  type MigrationView,
  migrationGroups,
  migrationSpec,
  objectName,
  pausedAnnotation,
  pausing,
  resumeCommand,
  viewOf,
} from '@strata/insight'
import { uuid, type World } from '@strata/world'
import { CliError } from '../../output/errors.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { withoutSetAside } from '../repair/without-set-aside.ts'
import { HeldObject } from './held-object.ts'
import { byUrgency, pastOf, stateOf } from './object-state.ts'
import type { RecordState, RecordStore } from './record.ts'

const maxAttempts = 8

export interface ObjectRecordsOptions {
  readonly client: Client
  readonly resource: GroupResource
  /** A version in which the resource is served, for the group that wants one in the spec. */
  readonly servedVersion: string
  /** Groups in which migrations are served. */
  readonly groups: readonly string[]
  readonly world: Pick<World, 'clock' | 'random' | 'processes'>
}

const kinds: Readonly<Record<MigrationGroup, readonly [definition: ResourceDefinition, version: string]>> = {
  'migration.k8s.io': [versionedMigrations as unknown as ResourceDefinition, 'v1alpha1'],
  'storagemigration.k8s.io': [storageVersionMigrations as unknown as ResourceDefinition, 'v1beta1'],
}

/**
 * StorageVersionMigrations as the place where runs are recorded. The controllers leave one alone while it is claimed, and
 * resume it where it stopped. Its name comes from its resource: if two commands create it at once, one is refused.
 */
export function createObjectRecords(options: ObjectRecordsOptions): RecordStore {
  return new ObjectRecords(options)
}

class ObjectRecords implements RecordStore {
  readonly #options: ObjectRecordsOptions
  /** In order of preference: the trigger looks at the first one first. */
  readonly #groups: readonly MigrationGroup[]

  constructor(options: ObjectRecordsOptions) {
    this.#options = options
    this.#groups = migrationGroups.filter((group) => options.groups.includes(group))
  }

  readOpen: RecordStore['readOpen'] = async (signal) => {
    const open = (await this.#list(signal)).filter((each) => endOf(each) === undefined)
    const first = [...open].sort(byUrgency)[0]
    return first && stateOf(first)
  }

  readById: RecordStore['readById'] = async (id, signal) => {
    const found = await this.#find(id, signal)
    return found && stateOf(found)
  }

  readPast: RecordStore['readPast'] = async (signal) => {
    const past = (await this.#list(signal)).flatMap((each) => pastOf(each, this.#options.resource))
    return past.sort((a, b) => ((a.at ?? '') < (b.at ?? '') ? 1 : -1))
  }

  readLatest: RecordStore['readLatest'] = async (signal) => {
    const open = await this.readOpen(signal)
    if (open) return open
    const ended = (await this.#list(signal)).map((view) => ({ view, at: endOf(view)?.at ?? '' }))
    const [latest] = ended.sort((a, b) => (a.at < b.at ? 1 : -1))
    return latest && stateOf(latest.view)
  }

  takeOff: RecordStore['takeOff'] = async (ended, objects, signal) => {
    const view = await this.#findAsSeen(ended, signal)
    if (view === undefined || !isEnded(view) || !view.keepsProgress) return false
    const left = withoutSetAside(view.progress, objects)
    if (left === undefined) return false
    const { group, name, uid, resourceVersion } = view
    const { quarantine, quarantined } = left
    const patch = { metadata: { uid, resourceVersion }, status: { quarantine, quarantined } }
    const options = { subresource: 'status', fieldManager: 'strata-repair' }
    return (await attempt(() => this.#client(group).patch({ name }, patch, signal, options))) !== undefined
  }

  claim: RecordStore['claim'] = async (open, target, signal) => {
    const claim = this.#newClaim()
    const { clock } = this.#options.world
    const written = target.encodingVersion
    const versionName = written === undefined ? this.#options.servedVersion : versionNameOf(written)
    const view = open
      ? await this.#findAsSeen(open, signal)
      : await this.#create(versionName, claimAnnotations(claim, clock), signal)
    if (view === undefined) return undefined
    const held = this.#hold(view, claim)
    if (open && (await held.claim({ [pausedAnnotation]: null }, signal)) !== 'saved') return undefined
    const isHeld = (other: MigrationView) => other.claim !== undefined && !this.#isGone(other.claim)
    if (isContested(view, await this.#list(signal), isHeld)) {
      await this.#giveWay(view, held, open, signal)
      return undefined
    }
    return (await held.begin(signal)) === 'saved' ? held : undefined
  }

  endCancelled: RecordStore['endCancelled'] = async (open, signal) => {
    const view = await this.#findAsSeen(open, signal)
    if (view === undefined) return false
    return (await this.#hold(view, this.#newClaim()).cancel(signal)) === 'saved'
  }

  request: RecordStore['request'] = async (signal) => {
    if (this.#groups.length === 0) return undefined
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const open = await this.readOpen(signal)
      if (open?.isCancelled) await this.endCancelled(open, signal)
      else if (open === undefined) {
        const view = await this.#create(this.#options.servedVersion, {}, signal)
        if (view) return { where: objectName(view), wasPaused: false }
      } else {
        const { where, isPaused: wasPaused, claim } = open
        const heldBy = claim && claim.by !== 'runner' && !this.#isGone(claim) ? { heldBy: claim } : {}
        if (!wasPaused || (await this.#unpause(open, signal))) return { where, wasPaused, ...heldBy }
      }
    }
    const what = groupResourceText(this.#options.resource)
    throw new CliError(`the migrations of ${what} keep changing: try again`, exitCodes.notSeen)
  }

  handOver: RecordStore['handOver'] = resumeCommand

  async #giveWay(
    { group, name, uid }: MigrationView,
    held: HeldObject,
    before: RecordState | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    if (before) await held.giveBack(before.isPaused ? pausing(before.failure) : {}, signal)
    else await attempt(() => this.#client(group).delete({ name }, { preconditions: { uid } }, signal))
  }

  /** Removes the pause, if the object is as it was seen: a process that holds it by now may heed another request. */
  async #unpause(seen: RecordState, signal: AbortSignal): Promise<MigrationObject | undefined> {
    const view = await this.#find(seen.id, signal)
    if (view === undefined) return undefined
    const { group, name } = view
    const patch = { metadata: { resourceVersion: seen.mark, annotations: { [pausedAnnotation]: null } } }
    return attempt(() => this.#client(group).patch({ name }, patch, signal))
  }

  /** Creates a migration, in the place of one that has ended; undefined if another process was faster. */
  async #create(
    versionName: string,
    annotations: Readonly<Record<string, string | null>>,
    signal: AbortSignal,
  ): Promise<MigrationView | undefined> {
    const { resource } = this.#options
    const [group] = this.#groups
    if (group === undefined) return undefined
    const name = `strata-migrate-${groupResourceText(resource)}`
    const before = (await this.#list(signal)).find((each) => each.group === group && each.name === name)
    if (before && !isEnded(before)) return undefined
    if (before?.isBeingDeleted) {
      const why = `${objectName(before)} is being deleted, and a finalizer keeps it: remove the finalizer, and try again`
      throw new CliError(why, exitCodes.notSeen)
    }
    const migrations = this.#client(group)
    const spec = migrationSpec(group, resource, versionName)
    return attempt(async () => {
      if (before) await migrations.delete({ name }, { preconditions: { uid: before.uid } }, signal)
      const object = { metadata: { name, annotations }, spec } as MigrationObject
      return viewOf(group, await migrations.create(object, signal))
    })
  }

  #newClaim(): Claim {
    const { processes, random } = this.#options.world
    return { by: 'command', ...processes.self, hostname: processes.hostname, id: uuid(random) }
  }

  #hold(view: MigrationView, claim: Claim): HeldObject {
    return new HeldObject(this.#client(view.group), view, claim, this.#options.world.clock)
  }

  #isGone(claim: Claim): boolean {
    return this.#options.world.processes.isGone(claim)
  }

  async #list(signal: AbortSignal): Promise<readonly MigrationView[]> {
    const about = groupResourceText(this.#options.resource)
    const pages = await Promise.all(
      this.#groups.map(async (group) => {
        const { items } = await this.#client(group).list({}, signal)
        return items.map((each) => viewOf(group, each))
      }),
    )
    return pages.flat().filter(({ resource }) => groupResourceText(resource) === about)
  }

  async #find(id: string, signal: AbortSignal): Promise<MigrationView | undefined> {
    return (await this.#list(signal)).find(({ uid }) => uid === id)
  }

  /** Undefined if the object has changed since. */
  async #findAsSeen({ id, mark }: RecordState, signal: AbortSignal): Promise<MigrationView | undefined> {
    const view = await this.#find(id, signal)
    return view?.resourceVersion === mark ? view : undefined
  }

  #client(group: MigrationGroup): ResourceClient<MigrationObject> {
    return this.#options.client.resource(...kinds[group]) as unknown as ResourceClient<MigrationObject>
  }
}

/** Undefined if another process was faster. */
async function attempt<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act()
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return undefined
    throw error
  }
}
