import type { CustomResourceDefinition } from '@strata/api'

/** The CRD of a cluster, and the one that shall take its place. */
export interface CrdFacts {
  /** Undefined if the cluster has no CRD of this name. */
  readonly live: CustomResourceDefinition | undefined
  /** From a file; what the server sets need not be there. */
  readonly wanted: CustomResourceDefinition
  /** `none` if it is known that no object is stored. */
  readonly objects?: 'none' | 'some'
  /** The CRD from before an upgrade that this one continues or takes back: a rollback leads there. `live` if absent. */
  readonly old?: CustomResourceDefinition | undefined
}

export type CrdStep =
  /** The new file, as it is. */
  | { readonly do: 'apply' }
  /** A CRD between the two. Versions that both have keep the live schema, so that nothing is pruned on the way. */
  | {
      readonly do: 'bridge'
      readonly versions: readonly string[]
      readonly storage: string
      /** A version that is served only on the bridge, because objects are read and written through it. */
      readonly serve?: string
      /** Whose conversion it has. */
      readonly conversion: 'live' | 'wanted'
    }
  /** Reads every object in this version: the conversion webhook must answer for each, before anything depends on it. */
  | { readonly do: 'ask'; readonly version: string }
  /** Rewrites every object in the storage version, and says what that proves. */
  | { readonly do: 'migrate'; readonly to: string }
  /** Takes old versions out of status.storedVersions. */
  | { readonly do: 'prune'; readonly keep: string; readonly drop: readonly string[] }

/** Objects that are written after this are stored in another version. */
export interface StorageMove {
  readonly from: string
  readonly to: string
  /** With `None` the server only changes the apiVersion, and prunes by the schema of `to`. */
  readonly conversion: 'None' | 'Webhook'
}

export type CrdPlanKind = 'none' | 'apply' | 'migrate-first' | 'bridge' | 'impossible'

/** Whether the old CRD could be applied again, once the new one is in place. */
export interface RollbackRisk {
  /** `refused`: not as it is; the steps lead back. `lost`: no steps do. `not applicable`: there is nothing to go back to. */
  readonly verdict: 'accepted' | 'refused' | 'lost' | 'not applicable'
  readonly because: string
  readonly steps: readonly CrdStep[]
}

export interface CrdPlan {
  readonly kind: CrdPlanKind
  readonly steps: readonly CrdStep[]
  /** What kube-apiserver answers if the new file is applied now, word for word; undefined if it accepts it. */
  readonly refusal?: string
  /** In which the live objects may be stored. */
  readonly stored: readonly string[]
  readonly moves: readonly StorageMove[]
  readonly rollback: RollbackRisk
  /** Why there is no plan, and what would make one possible. */
  readonly missing: readonly string[]
}
