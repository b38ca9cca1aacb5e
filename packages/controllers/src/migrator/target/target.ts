import { apiVersionOf, type GroupResource, type MigrationTarget as StoredTarget } from '@strata/api'

/** The source that publishes the storage version of a resource, the strongest first. */
export type TargetSource = StoredTarget['how']

/** The CRD of a custom resource as it was read. Its generation changes with its spec. */
export type DefinitionState = NonNullable<StoredTarget['definition']>

/**
 * The encoding that a migration brings the objects of one resource to, and the facts that show later whether it has changed.
 * Plain data: it is stored with the migration and compared when another process resumes it.
 */
export interface MigrationTarget extends StoredTarget {
  readonly resource: GroupResource
  readonly fenced: boolean
}

export type TargetDecision =
  | {
      readonly agreed: true
      readonly target: MigrationTarget
      /** Only from a record: the versions that at least one server can decode. */
      readonly decodable?: readonly string[]
      /** Only from a record: the key that all servers write with, if they encrypt. */
      readonly writeKey?: string
      /** Only of a CRD whose servers publish no record, and without a doubt: the versions in which objects may be stored. */
      readonly storedVersions?: readonly string[]
      /** Only of such a CRD: how many servers were asked, and show it in discovery as it is. */
      readonly shownBy?: number
    }
  | {
      readonly agreed: false
      readonly because: string
      /** The epoch of a record that only waits for servers to report: these write nothing before that. */
      readonly waitingIn?: number
      /** The CRD is the reason, not what the servers do. */
      readonly isAboutCrd?: true
    }

export type Sameness = { readonly same: true } | { readonly same: false; readonly because: string }

const moved = (because: string): Sameness => ({ same: false, because })

/**
 * Whether everything written between two reads is in the encoding of the target. A target that changed and changed back is
 * another one: objects written in between have another encoding. So epochs, generations and resourceVersions are compared, not
 * only names (docs/reference/upstream-behaviour.md, X4 and X5).
 */
export function sameTarget(
  before: MigrationTarget,
  now: MigrationTarget,
  /** Whether an unbroken watch has shown that all states up to the second look had the same common version. */
  { watched = false }: { readonly watched?: boolean } = {},
): Sameness {
  if (before.how !== now.how) return moved(`it was known from the ${before.how}, now from the ${now.how}`)
  if (before.encodingVersion !== now.encodingVersion) {
    return moved(`${before.encodingVersion ?? 'unknown'} became ${now.encodingVersion ?? 'unknown'}`)
  }
  if (before.recordUID !== now.recordUID) return moved('the agreement record was lost and created again')
  if (before.epoch !== now.epoch) return moved(`epoch ${before.epoch} became epoch ${now.epoch}`)
  if (before.fenced !== now.fenced) return moved(before.fenced ? 'the fence is gone' : 'a fence came up')
  if (before.hash !== now.hash) return moved(`hash ${before.hash} became ${now.hash}`)
  const definition = sameDefinition(before.definition, now.definition)
  if (!definition.same) return definition
  if (before.resourceVersion !== now.resourceVersion && !watched) {
    return moved(
      `the StorageVersion was written (${before.resourceVersion} became ${now.resourceVersion}) and no watch has seen the states between`,
    )
  }
  return { same: true }
}

function sameDefinition(before: DefinitionState | undefined, now: DefinitionState | undefined): Sameness {
  if (before === undefined && now === undefined) return { same: true }
  if (before === undefined || now === undefined) return moved('the CRD was created or deleted')
  if (before.uid !== now.uid) return moved('the CRD was deleted and created again')
  if (before.storageVersion !== now.storageVersion) {
    return moved(`the CRD stores ${now.storageVersion} instead of ${before.storageVersion}`)
  }
  if (before.generation !== now.generation) {
    return moved(`the CRD changed (generation ${before.generation} became ${now.generation})`)
  }
  return { same: true }
}

export type Movement =
  | { readonly kind: 'stands' }
  /** Nothing has changed, but nothing is proven until all servers have reported again. */
  | { readonly kind: 'waits'; readonly because: string }
  | { readonly kind: 'moved'; readonly because: string }

/**
 * Whether a target still stands. A server that restarts with the same encoding does not change the epoch (rule 10), so it
 * does not end a migration that has been running for hours.
 */
export function decideMovement(
  before: MigrationTarget,
  now: TargetDecision,
  more: { readonly watched?: boolean } = {},
): Movement {
  if (now.agreed) {
    const sameness = sameTarget(before, now.target, more)
    return sameness.same ? { kind: 'stands' } : { kind: 'moved', because: sameness.because }
  }
  const waits = before.how === 'record' && now.waitingIn !== undefined && now.waitingIn === before.epoch
  return { kind: waits ? 'waits' : 'moved', because: now.because }
}

/** The target and its source, for people. */
export function targetText(target: MigrationTarget): string {
  const { encodingVersion, hash, how, epoch, definition, resource } = target
  const what =
    encodingVersion ??
    (definition ? apiVersionOf(resource.group, definition.storageVersion) : hash && `hash ${hash}`) ??
    'whatever the server writes'
  const by: Record<TargetSource, string> = {
    record: `agreement record, epoch ${epoch}${target.fenced ? '' : ', not fenced'}`,
    storageversion: 'StorageVersion object',
    definition: `CRD, generation ${definition?.generation}`,
    discovery: 'hash in discovery',
    unpublished: 'nothing is published',
  }
  return `${what} (${by[how]})`
}
