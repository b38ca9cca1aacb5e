import type { FieldPath } from '@strata/insight'
import type { CrdPlace } from '../documents/index.ts'
import type { CrdStep } from '../plan/crd-plan.ts'
import type { SchemaChange } from '../schema/index.ts'

/** What a new release does to the clusters of older ones, as far as one CRD is concerned. */
export interface CrdCheck {
  readonly name: string
  /** In the new release; undefined if it no longer has the CRD. */
  readonly place: CrdPlace | undefined
  readonly verdict: CheckVerdict
  /** What a server answers that does not have the CRD yet; undefined if it takes it. */
  readonly refusedNew: string | undefined
  readonly refusals: readonly ForetoldRefusal[]
  /** Upgrades between the older releases that are refused as well. */
  readonly earlier: readonly EarlierRefusal[]
  readonly rollbacks: readonly BrokenRollback[]
  readonly changes: readonly FoundChange[]
  /** Served by an older release, and no longer there or no longer served. */
  readonly goneVersions: readonly GoneVersion[]
  /** Gone from the new file, and possibly stored by a release that is older than all that were given. */
  readonly maybeStored: readonly MaybeStored[]
  /** Fields of the file that no server knows. */
  readonly unknownFields: readonly string[]
}

/** From worst to best. */
export type CheckVerdict = 'refused' | 'breaks rollback' | 'warnings' | 'removed' | 'ok' | 'new'

export interface ForetoldRefusal {
  /** `v1.15.19 → v1.17.9`: clusters that came this way. */
  readonly path: string
  readonly storedVersions: readonly string[]
  /** The message of the API server. */
  readonly refusal: string
  /** What leads there instead; empty if nothing does. */
  readonly steps: readonly CrdStep[]
  /** Stored versions that the new file does not have. */
  readonly gone: readonly string[]
  /** Why nothing leads there. */
  readonly missing: readonly string[]
  /** The field of the new file that is to blame. */
  readonly at: FieldPath
}

export interface EarlierRefusal {
  readonly path: string
  readonly release: string
  readonly refusal: string
}

export interface BrokenRollback {
  /** The release to which the way back is refused. */
  readonly release: string
  /** Clusters that came this way. */
  readonly path: string
  /** The message of the API server, when the old file is applied over the new one. */
  readonly refusal: string
  /** What leads back; empty if nothing does. */
  readonly steps: readonly CrdStep[]
  /** Stored versions that the old file does not have. */
  readonly gone: readonly string[]
  /** The new file stores a version that the old one does not have. */
  readonly isNewStorage: boolean
  readonly at: FieldPath
}

/** Its place is that in the manifest. */
export interface FoundChange extends SchemaChange {
  /** The versions whose schema changed so; two in one if the storage version moves: `v1beta1 → v1`. */
  readonly versions: readonly string[]
  /** The older releases that differ in this. */
  readonly since: readonly string[]
}

export interface MaybeStored {
  readonly version: string
  /** The oldest release with the CRD: it has the version and stores another one. */
  readonly release: string
}

export interface GoneVersion {
  readonly version: string
  readonly since: readonly string[]
  /** It is still there, to read what is stored. */
  readonly isUnserved: boolean
}
