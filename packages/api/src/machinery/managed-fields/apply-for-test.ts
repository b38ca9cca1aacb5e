import { isJsonObject, type JsonObject } from '../patch/json-value.ts'
import type { Schema } from '../schema.ts'
import { applyConflictError } from './apply-conflict.ts'
import { type Application, applyObject } from './apply-object.ts'
import type { ManagedFieldsEntry, ManagedOperation } from './managed-entry.ts'
import { updateManagedFields } from './update-managed-fields.ts'

/** One write of one manager: an apply, or an update that replaces all. */
export interface Write {
  readonly by: string
  readonly apply?: JsonObject
  readonly update?: JsonObject
  readonly force?: boolean
  readonly apiVersion?: string
  readonly subresource?: string
  readonly time?: string
}

export interface Played {
  readonly object: JsonObject
  /** That of the last write, in which the object is. */
  readonly apiVersion?: string
  readonly managedFields: readonly ManagedFieldsEntry[]
}

/** A kind for tests: its versions, all of the same shape unless they are converted. */
export interface TestKind {
  readonly schema: Schema
  readonly versions?: readonly string[]
  readonly convert?: Application['convert']
  readonly schemaOf?: Application['schemaOf']
  readonly resetFields?: Application['resetFields']
}

export const morning = '2024-01-02T08:00:00Z'

/** One write after another, as a server does them. A conflict is thrown as the server would answer it. */
export function play(kind: TestKind, writes: readonly Write[], before?: Played): Played {
  let played = before
  for (const write of writes)
    played = write.apply ? applied(kind, write, played) : updated(kind, write, played)
  return played ?? { object: {}, managedFields: [] }
}

function applied(kind: TestKind, write: Write, before: Played | undefined): Played {
  const outcome = applyObject({
    live: before && liveObject(kind, before, write),
    applied: { metadata: { name: 'x' }, ...write.apply },
    ...common(kind, write),
    force: write.force ?? false,
  })
  if (outcome.outcome === 'conflicts') throw applyConflictError(outcome.conflicts)
  const { object, managedFields = [] } = outcome
  return { object: withoutNulls(object), managedFields, ...versionOf(write) }
}

function updated(kind: TestKind, write: Write, before: Played | undefined): Played {
  const stored = before && liveObject(kind, before, write)
  const object = { metadata: { name: 'x' }, ...write.update }
  const managedFields = updateManagedFields({
    ...common(kind, write),
    stored: stored as { metadata: object } | undefined,
    next: object,
    inVersion: (version) => {
      const { schemaOf, convert, apiVersion } = common(kind, write)
      const was = stored && convert(stored, apiVersion, version)
      const is = convert(object, apiVersion, version)
      const schema = schemaOf(version)
      return was && is && schema && { before: was, after: is, schema }
    },
  })
  return { object, managedFields: managedFields ?? [], ...versionOf(write) }
}

const versionOf = ({ apiVersion = 'v1' }: Write) => ({ apiVersion })

function common(kind: TestKind, { by, apiVersion = 'v1', subresource, time = morning }: Write) {
  const versions = kind.versions ?? ['v1']
  return {
    schema: kind.schemaOf?.(apiVersion) ?? kind.schema,
    apiVersion,
    manager: by,
    ...(subresource === undefined ? {} : { subresource }),
    time,
    ...(kind.resetFields ? { resetFields: kind.resetFields } : {}),
    schemaOf: kind.schemaOf ?? ((version: string) => (versions.includes(version) ? kind.schema : undefined)),
    convert: kind.convert ?? ((object: JsonObject) => object),
  }
}

function liveObject(
  kind: TestKind,
  { object, managedFields, apiVersion = 'v1' }: Played,
  write: Write,
): JsonObject {
  const { convert, apiVersion: to } = common(kind, write)
  const live = convert(object, apiVersion, to) ?? object
  return { ...live, metadata: { ...(live['metadata'] as object), managedFields } }
}

/** A server does not store the nulls that are left of what lost its content. */
function withoutNulls(value: JsonObject): JsonObject {
  const kept = Object.entries(value).filter(([, each]) => each !== null)
  return Object.fromEntries(
    kept.map(([field, each]) => [field, isJsonObject(each) ? withoutNulls(each) : each]),
  )
}

/** Who owns what: `name` for appliers, `name*` for updaters, with what else tells them apart. */
export function ownersOf({ managedFields }: Pick<Played, 'managedFields'>): Record<string, unknown> {
  return Object.fromEntries(managedFields.map((entry) => [ownerText(entry), entry.fieldsV1]))
}

function ownerText({ manager, operation, apiVersion, subresource }: ManagedFieldsEntry): string {
  const stars: Record<ManagedOperation, string> = { Apply: '', Update: '*' }
  const version = apiVersion === 'v1' ? '' : ` in ${apiVersion}`
  return `${manager}${stars[operation]}${version}${subresource ? `/${subresource}` : ''}`
}
