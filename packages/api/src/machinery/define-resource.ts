import type { CustomResourceColumnDefinition } from '../apiextensions/custom-resource-definition.ts'
import type { GroupResource } from '../meta/names.ts'
import type { ApiObject } from '../meta/object.ts'
import { type Column, createdAtColumns, dateColumns } from './columns.ts'
import type { FieldError } from './field-error.ts'
import { parsePath } from './json-path/parse-path.ts'
import { PathProblem } from './json-path/path-step.ts'
import { dns1123Subdomain, type NameRule } from './name-rules.ts'
import type { Schema } from './schema.ts'

/**
 * One version of a kind: its shape, and how it is turned into the hub and back. `toHub` must accept every
 * object that was ever stored in this version; there and back must be where you were, or data is lost when
 * an old client reads an object and writes it back.
 */
export interface VersionDefinition<Wire extends ApiObject, Hub extends ApiObject> {
  readonly schema: Schema
  readonly toHub: (object: Wire) => Hub
  readonly fromHub: (hub: Hub) => Wire
  /** Defaults that a schema cannot express, applied in place after the schema's own. */
  readonly applyDefaults?: (object: Wire) => void
  /** The columns of its tables after the name, as a CRD has them: paths into objects of this version. They replace `columns`. */
  readonly additionalPrinterColumns?: readonly CustomResourceColumnDefinition[]
  /** Clients of this version get a warning with each answer. */
  readonly deprecated?: boolean
  /** The text of that warning, in place of the default. */
  readonly deprecationWarning?: string
}

/** What one release supports of a resource (KEP "Coordinated dynamic storage version", the table of the fastest evolution). */
export interface ResourceRelease {
  /** Versions that are decoded. Served ones are among them. */
  readonly decodable: readonly string[]
  readonly served: readonly string[]
  readonly preferredStorage: string
}

/** Hooks that say what is special about one kind; everything else is generic. */
export interface Strategy<Hub extends ApiObject> {
  /** Sets what the server owns and drops what a client may not set. In place. */
  readonly prepareForCreate?: (object: Hub, now: string) => void
  /** The same for an update; `stored` is the stored object and must not be changed. */
  readonly prepareForUpdate?: (object: Hub, stored: Hub) => void
  /** Runs on every object before it is stored. */
  readonly validate?: (object: Hub) => readonly FieldError[]
  /** Runs also on a new object. */
  readonly validateCreate?: (object: Hub) => readonly FieldError[]
  readonly validateUpdate?: (object: Hub, stored: Hub) => readonly FieldError[]
  /** Runs on a change of the status alone, in place of all the others. */
  readonly validateStatusUpdate?: (object: Hub, stored: Hub) => readonly FieldError[]
  /** Marks an object at its first deletion, instead of the generic mark. In place. */
  readonly markForDeletion?: (object: Hub, now: string) => void
  /** A status write may also change labels, annotations, owners and finalizers. */
  readonly statusTakesMetadata?: boolean
  /** Warnings to the client about an accepted object. */
  readonly warnings?: (object: Hub, stored: Hub | undefined) => readonly string[]
  readonly nameRule?: NameRule
  /** An update without a resourceVersion overwrites whatever is there. */
  readonly allowUnconditionalUpdate?: boolean
  /** An update of a missing object creates it. */
  readonly allowCreateOnUpdate?: boolean
  /** The answer to a deletion is the object, not a Status. */
  readonly returnsDeletedObject?: boolean
  /** Nothing depends on its objects: what a deletion says about dependents is overlooked. */
  readonly hasNoDependents?: boolean
  /** `metadata.generation` counts changes outside of metadata and status. */
  readonly tracksGeneration?: boolean
  /** Some kinds are written by the servers alone; clients may use only these verbs. */
  readonly verbs?: readonly Verb[]
  /** The error message for other verbs. */
  readonly whyReadOnly?: string
}

/**
 * The same objects under another group: one storage, one agreement and one hub. Objects are always stored in a version of the
 * resource's own group.
 */
export interface OtherGroup<Hub extends ApiObject> {
  readonly group: string
  // biome-ignore lint/suspicious/noExplicitAny: as with the versions of the resource's own group.
  readonly versions: Readonly<Record<string, VersionDefinition<any, Hub>>>
  /** What differs for requests through this group. */
  readonly strategy?: Strategy<Hub>
  readonly selectableFields?: readonly string[]
}

/** Where the objects of a version have what a Scale shows of them: `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicas: string
  readonly statusReplicas: string
  /** A selector in its text form. */
  readonly labelSelector?: string
}

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch'

export interface ResourceOptions<Hub extends ApiObject> {
  readonly group: string
  readonly kind: string
  readonly plural: string
  readonly singular?: string
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly scope: 'Namespaced' | 'Cluster'
  /** In order of preference for clients. */
  // biome-ignore lint/suspicious/noExplicitAny: each version has a wire type of its own; the pair of functions keeps it inside.
  readonly versions: Readonly<Record<string, VersionDefinition<any, Hub>>>
  /** A preference, not a promise: what is written is what the servers agree on. */
  readonly preferredStorageVersion: string
  /** Those that clients may speak, in every release, where not all are: the others are only stored. */
  readonly servedVersions?: readonly string[]
  /** For kinds that differ between releases; the others are the same in every release. */
  readonly releases?: Readonly<Record<string, ResourceRelease>>
  /** The path of the objects below `/registry/`. */
  readonly storagePrefix: string
  readonly strategy?: Strategy<Hub>
  readonly subresources?: {
    readonly status?: boolean
    /** By the name of the version; the others cannot be scaled. */
    readonly scale?: Readonly<Record<string, ScalePaths>>
  }
  /** All columns of its tables, in order. Without them, a kind is shown as upstream shows one that has none. */
  readonly columns?: readonly Column<Hub>[]
  /** Fields besides metadata.name and metadata.namespace that a field selector may name. */
  readonly selectableFields?: readonly string[]
  /** The values that field selectors compare, for fields that are not simply the value at their path. */
  readonly selectableValues?: Readonly<Record<string, (object: ApiObject) => string>>
  readonly alsoServedIn?: readonly OtherGroup<Hub>[]
  /**
   * A kind that upstream has as a Go struct. It is decoded as Go decodes one: null and empty fields disappear, and
   * the items of its lists do not repeat their kind. Every other kind is kept as it was sent, like a custom resource.
   * An int64 beyond 2^53 reaches the code of a typed kind as a `RawNumber`. Other kinds get plain numbers: a client's
   * integer beyond 2^53 is refused, except in fields that the schema does not describe.
   */
  readonly typed?: boolean
  /** Made from a CustomResourceDefinition. */
  readonly isCustom?: boolean
  /**
   * A review: the server answers the request and stores nothing. It can only be created, and
   * takes part in neither agreement nor storage.
   */
  readonly isReview?: boolean
  /**
   * A kind that agreement itself is made of. It has one storage version for ever, is registered first, and
   * may be written unfenced (agreement.md, rule 0): otherwise the fence would need itself to start.
   */
  readonly bootstrap?: boolean
}

/** A resource as everything else sees it, with the defaults filled in. */
export interface ResourceDefinition<Hub extends ApiObject = ApiObject>
  extends ResourceOptions<Hub>,
    GroupResource {
  readonly listKind: string
  readonly singular: string
  readonly columns: readonly Column<Hub>[]
  readonly strategy: Strategy<Hub> & { readonly nameRule: NameRule }
}

/** A definition of any kind. The hub of one kind is not that of another, so a list of them needs a type that fits each. */
// biome-ignore lint/suspicious/noExplicitAny: only the definition itself uses its hub.
export type AnyResourceDefinition = ResourceDefinition<any>

/** Whether something is of a kind we know. By its group too: others may have a kind of the same name. */
export function isKind(one: GroupKind, known: GroupKind): boolean {
  return one.kind === known.kind && one.group === known.group
}

type GroupKind = Pick<ResourceDefinition, 'group' | 'kind'>

export function defineResource<Hub extends ApiObject>(
  options: ResourceOptions<Hub>,
): ResourceDefinition<Hub> {
  const names = Object.keys(options.versions)
  const problems: string[] = []
  if (names.length === 0) problems.push('versions: give at least one')
  if (!names.includes(options.preferredStorageVersion)) {
    problems.push(`preferredStorageVersion: "${options.preferredStorageVersion}" is not one of versions`)
  }
  for (const each of options.servedVersions ?? []) {
    if (!names.includes(each)) problems.push(`servedVersions: "${each}" is not one of versions`)
  }
  if (options.servedVersions?.length === 0) problems.push('servedVersions: give at least one')
  if (options.servedVersions && options.releases) {
    problems.push('servedVersions: each of releases says what it serves')
  }
  if (options.bootstrap && (names.length !== 1 || options.releases)) {
    problems.push('bootstrap: a bootstrap kind has exactly one version, the same in every release')
  }
  if (options.alsoServedIn && options.bootstrap) {
    problems.push('alsoServedIn: a bootstrap kind has one group')
  }
  for (const { group } of options.alsoServedIn ?? []) {
    if (group === options.group) problems.push(`alsoServedIn: "${group}" is the resource's own group`)
  }
  for (const [name, version] of Object.entries(options.versions)) {
    problems.push(...versionProblems(version).map((each) => `versions["${name}"].${each}`))
  }
  for (const [release, { decodable, served, preferredStorage }] of Object.entries(options.releases ?? {})) {
    const path = `releases["${release}"]`
    for (const each of decodable) {
      if (!names.includes(each)) problems.push(`${path}.decodable: "${each}" is not one of versions`)
    }
    for (const each of served) {
      if (!decodable.includes(each)) problems.push(`${path}.served: "${each}" must be decodable too`)
    }
    if (!decodable.includes(preferredStorage)) {
      problems.push(`${path}.preferredStorage: "${preferredStorage}" must be decodable too`)
    }
  }
  if (problems.length > 0) {
    throw new TypeError(`defineResource ${options.plural}.${options.group}: ${problems.join('; ')}`)
  }
  return {
    ...options,
    resource: options.plural,
    listKind: `${options.kind}List`,
    singular: options.singular ?? options.kind.toLowerCase(),
    columns: options.columns ?? (options.typed ? createdAtColumns : dateColumns),
    strategy: { nameRule: dns1123Subdomain, ...options.strategy },
  }
}

function versionProblems({
  additionalPrinterColumns = [],
  deprecated,
  deprecationWarning,
}: Pick<
  VersionDefinition<ApiObject, ApiObject>,
  'additionalPrinterColumns' | 'deprecated' | 'deprecationWarning'
>): readonly string[] {
  const problems = additionalPrinterColumns.flatMap(({ jsonPath }, index) => {
    const problem = pathProblem(jsonPath)
    return problem === undefined ? [] : [`additionalPrinterColumns[${index}].jsonPath: ${problem}`]
  })
  if (deprecationWarning !== undefined && !deprecated)
    problems.push('deprecationWarning: can only be set for deprecated versions')
  return problems
}

function pathProblem(jsonPath: string): string | undefined {
  try {
    parsePath(jsonPath)
    return undefined
  } catch (error) {
    if (error instanceof PathProblem) return error.message
    throw error
  }
}

/** The warning for clients of a version, in upstream's words; undefined if the version is not deprecated. */
export function deprecationOf(
  { deprecated, deprecationWarning }: { readonly deprecated?: boolean; readonly deprecationWarning?: string },
  apiVersion: string,
  kind: string,
): string | undefined {
  return deprecated ? (deprecationWarning ?? `${apiVersion} ${kind} is deprecated`) : undefined
}

/**
 * The resource as a release has it, or undefined where that release does not know it. A kind that does not
 * differ between releases is the same in all of them, also in releases it has never heard of.
 */
export function resourceAtRelease(
  definition: ResourceDefinition,
  release: string | undefined,
): ResourceRelease | undefined {
  if (!definition.releases || release === undefined) {
    return {
      decodable: Object.keys(definition.versions),
      served: servedVersionNames(definition),
      preferredStorage: definition.preferredStorageVersion,
    }
  }
  return definition.releases[release]
}

/** The versions that are served in some release. */
export function servedVersionNames({
  versions,
  servedVersions,
}: Pick<ResourceDefinition, 'versions' | 'servedVersions'>): readonly string[] {
  return servedVersions ?? Object.keys(versions)
}
