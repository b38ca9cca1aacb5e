import {
  type ApiObject,
  type CustomResourceDefinition,
  cloneJson,
  type FieldError,
  fieldErrorText,
  storageVersionNameOf,
  type VersionSchemas,
  versionSchemas,
  versionsOf,
} from '@strata/api'
import { compareValues, type FieldDifference, type ValueDifferences } from '@strata/insight'

export interface LossQuestion {
  /** By this CRD the cluster serves the object today. */
  readonly today: CustomResourceDefinition
  /** By this CRD the object is rewritten: it reads the version of the object, and stores another one or the same. */
  readonly next: CustomResourceDefinition
}

/** A field that clients of one version no longer see, though it is stored. */
export interface HiddenField extends FieldDifference {
  readonly apiVersion: string
}

export type Loss =
  | {
      readonly outcome: 'compared'
      /** The object as it would be stored. */
      readonly stored: ApiObject
      readonly lost: readonly FieldDifference[]
      readonly changed: readonly FieldDifference[]
      readonly added: readonly FieldDifference[]
      readonly hidden: readonly HiddenField[]
      /** The write would be refused, in the words of the API server. */
      readonly refusals: readonly string[]
      /**
       * Wrong by the new schema, and tolerated because the write does not change it. API servers before 1.30 refuse these too:
       * they do not have the feature CRDValidationRatcheting, or not switched on.
       */
      readonly tolerated: readonly string[]
    }
  /** `next` does not have the version of the object, or no storage version: no API server would read the object. */
  | { readonly outcome: 'unreadable'; readonly reason: string }

export interface LossJudge {
  /**
   * Takes an object in the version in which it may be stored, as its apiVersion says. Only that apiVersion changes on the way
   * (conversion None). An object that may be stored in several versions has to be compared in each of them that is served: a read
   * in one version hides fields that only another one has.
   */
  compare(object: ApiObject): Loss
}

/** Compiles the schemas once, to compare many objects. Changes no argument. */
export function lossJudge({ today, next }: LossQuestion): LossJudge {
  const before = versionsIn(today)
  const after = versionsIn(next)
  const storage = after.get(`${next.spec.group}/${storageVersionNameOf(next)}`)
  return {
    compare(object) {
      const { apiVersion = '' } = object
      const from = after.get(apiVersion)
      if (!from) return { outcome: 'unreadable', reason: `the CRD has no version ${apiVersion}` }
      if (!storage) return { outcome: 'unreadable', reason: 'the CRD has no storage version' }
      return compareObject(object, { from, storage, before, after })
    },
  }
}

interface CompiledVersion extends VersionSchemas {
  readonly apiVersion: string
  readonly isServed: boolean
}

type Versions = ReadonlyMap<string, CompiledVersion>

function versionsIn(crd: CustomResourceDefinition): Versions {
  const { group, preserveUnknownFields } = crd.spec
  return new Map(
    versionsOf(crd).map((each) => {
      const apiVersion = `${group}/${each.name}`
      const schemas = versionSchemas(each, preserveUnknownFields === true)
      return [apiVersion, { ...schemas, apiVersion, isServed: each.served }]
    }),
  )
}

interface Change {
  readonly from: CompiledVersion
  readonly storage: CompiledVersion
  readonly before: Versions
  readonly after: Versions
}

function compareObject(object: ApiObject, { from, storage, before, after }: Change): Loss {
  const existing = settle(readStored(object, from), storage)
  const stored = cloneJson(existing)
  storage.structural.applyDefaults(stored)
  const differences = compareKept(object, stored)
  return {
    ...{ outcome: 'compared', stored, ...differences },
    hidden: hiddenFields(object, stored, differences.lost, before, after),
    ...judge(stored, existing, storage),
  }
}

/**
 * What a conversion webhook does not keep: an object as it was read, and as a dry run returned it, which sent it to the storage
 * version and back. A webhook renames fields as it likes; what counts is what does not come back.
 */
export function compareReturned(
  object: ApiObject,
  returned: ApiObject,
): Pick<ValueDifferences, 'lost' | 'changed'> {
  const { lost, changed } = compareKept(object, returned)
  return { lost, changed }
}

/** As an API server reads it: pruned and defaulted by the schema of the stored version. */
function readStored(object: ApiObject, { structural }: CompiledVersion): ApiObject {
  const read = cloneJson(object)
  structural.prune(read)
  structural.dropMisfits(read)
  structural.applyDefaults(read)
  return read
}

/** In another version: what that version does not know is pruned. Defaults are only filled in by a write. */
function settle(object: ApiObject, { structural, apiVersion }: CompiledVersion): ApiObject {
  const settled = { ...cloneJson(object), apiVersion }
  structural.prune(settled)
  return settled
}

function judge(
  stored: ApiObject,
  existing: ApiObject,
  { rules, structural }: CompiledVersion,
): { refusals: string[]; tolerated: string[] } {
  const misfit = structural.misfit(stored)
  const refused: readonly FieldError[] = misfit ? [misfit] : rules.validateUpdate(stored, existing)
  const refusals = textsOf(refused)
  const strict = misfit ? [] : textsOf(rules.validate(stored))
  return { refusals, tolerated: strict.filter((each) => !refusals.includes(each)) }
}

const textsOf = (errors: readonly FieldError[]): string[] => [...new Set(errors.map(fieldErrorText))]

/** What clients of the versions on both sides saw, and will not see. A field that is lost is named there. */
function hiddenFields(
  object: ApiObject,
  stored: ApiObject,
  gone: readonly FieldDifference[],
  before: Versions,
  after: Versions,
): HiddenField[] {
  return [...after.values()].flatMap((now) => {
    const was = before.get(now.apiVersion)
    if (!was?.isServed || !now.isServed) return []
    const { lost } = compareKept(settle(object, was), settle(stored, now))
    return lost
      .filter(({ path }) => !gone.some((each) => isAtOrBelow(path, each.path)))
      .map((each) => ({ ...each, apiVersion: now.apiVersion }))
  })
}

const isAtOrBelow = (path: string, parent: string): boolean =>
  path === parent || path.startsWith(`${parent}.`) || path.startsWith(`${parent}[`)

/** Without what every write changes. */
function compareKept(one: ApiObject, other: ApiObject): ValueDifferences {
  return compareValues(kept(one), kept(other))
}

function kept({ apiVersion: _, metadata, ...rest }: ApiObject): object {
  const { managedFields: __, resourceVersion: ___, generation: ____, ...others } = metadata
  return { ...rest, metadata: others }
}
