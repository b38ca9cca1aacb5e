import { ApiError, type GroupResource, groupResourceText, versionNameOf } from '@strata/api'
import type { Client, ResourceClient } from '@strata/client'
import { type Hold, holdIn } from '@strata/controllers'
import { uuid, type World } from '@strata/world'
import type { PastMigration } from './decide-evidence.ts'
import {
  claimed,
  type Found,
  HeldObject,
  pausedAnnotation,
  runnerAnnotation,
  whereOf,
} from './held-object.ts'
import { type AnyMigration, endOf, type MigrationForm, migrationForms } from './migration-form.ts'
import type { RecordState, RecordStore } from './record.ts'

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
    const claim = { ...processes.self, hostname: processes.hostname, id: uuid(random) }
    const written = target.encodingVersion
    const versionName = written === undefined ? this.#options.servedVersion : versionNameOf(written)
    const found = open
      ? await this.#take(open, claim, signal)
      : await this.#begin(versionName, claimed(claim, clock), signal)
    if (found === undefined) return undefined
    const held = new HeldObject(this.#objects(found.form), found, claim, clock)
    return (await held.begin(signal)) === 'saved' ? held : undefined
  }

  request: RecordStore['request'] = async (signal) => {
    const found = await this.#begin(this.#options.servedVersion, {}, signal)
    return found ? whereOf(found) : (await this.readOpen(signal))?.where
  }

  handOver: RecordStore['handOver'] = (where) => `kubectl annotate ${where} ${pausedAnnotation}-`

  /** Undefined if it is not as it was seen. */
  async #take(seen: RecordState, claim: Hold, signal: AbortSignal): Promise<Found | undefined> {
    const now = await this.#find(seen.id, signal)
    if (now === undefined || now.object.metadata.resourceVersion !== seen.mark) return undefined
    const { name = '', resourceVersion } = now.object.metadata
    const annotations = { ...claimed(claim, this.#options.world.clock), [runnerAnnotation]: null }
    const patch = { metadata: { resourceVersion, annotations } }
    return attempt(async () => ({
      form: now.form,
      object: await this.#objects(now.form).patch({ name }, patch, signal),
    }))
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
    return attempt(async () => {
      if (before) await objects.delete({ name }, { preconditions: uidOf(before) }, signal)
      const object: AnyMigration = {
        metadata: { name, annotations },
        spec: form.specOf(resource, versionName),
      }
      return { form, object: await objects.create(object, signal) }
    })
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

function isAbout({ spec }: AnyMigration, { group, resource }: GroupResource): boolean {
  return (spec?.resource?.group ?? '') === group && spec?.resource?.resource === resource
}

/** Those that somebody is at before those that nobody has begun, and the oldest of these. */
function byUrgency(a: Found, b: Found): number {
  const rank = ({ object }: Found): number =>
    holdIn(object.metadata.annotations) ? 0 : (object.status?.conditions ?? []).length > 0 ? 1 : 2
  const age = ({ object: { metadata } }: Found): string => `${metadata.creationTimestamp} ${metadata.name}`
  return rank(a) - rank(b) || (age(a) < age(b) ? -1 : 1)
}

function stateOf(found: Found): RecordState {
  const { metadata, status = {} } = found.object
  return {
    where: whereOf(found),
    id: metadata.uid ?? '',
    mark: metadata.resourceVersion ?? '',
    claim: holdIn(metadata.annotations),
    isPaused: metadata.annotations?.[pausedAnnotation] === 'true',
    end: endOf(found.object),
    progress: status,
  }
}

function pastOf(found: Found, resource: GroupResource): readonly PastMigration[] {
  const end = endOf(found.object)
  if (end === undefined) return []
  const { target, quarantined = 0 } = found.object.status ?? {}
  const { at, proof, outcome } = end
  const bound = target && { ...target, fenced: target.fenced ?? false, resource }
  return [
    {
      ...{ where: whereOf(found), succeeded: outcome === 'succeeded', proof, quarantined, target: bound },
      ...(at === undefined ? {} : { at }),
    },
  ]
}
