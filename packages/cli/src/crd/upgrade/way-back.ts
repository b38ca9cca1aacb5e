import type { CustomResourceDefinition } from '@strata/api'
import type { KeptDefinition } from './kept-definition.ts'

type Definition = CustomResourceDefinition

/** What this user has on this machine of earlier upgrades of a CRD. */
export interface UpgradeRecord {
  readonly kept: KeptDefinition | undefined
  /** The uid of the CRD that an upgrade created. */
  readonly createdUid: string | undefined
}

export type WayBack =
  | { readonly kind: 'return'; readonly original: Definition }
  /** There is nothing to put back; the other CRDs of the command go their way. */
  | { readonly kind: 'skip'; readonly because: string }

/** Where `--back` brings a CRD. No CRD is ever deleted, so that one which the upgrade created stays. */
export function decideWayBack(live: Definition | undefined, { kept, createdUid }: UpgradeRecord): WayBack {
  if (live === undefined) return { kind: 'skip', because: 'the cluster does not have this CRD' }
  const { uid } = live.metadata
  if (kept !== undefined && kept.original.metadata.uid === uid) {
    return { kind: 'return', original: kept.original }
  }
  const because =
    createdUid !== undefined && createdUid === uid
      ? 'the upgrade created this CRD; it is left as it is, because no CRD is ever deleted'
      : 'this user has no record on this machine that an upgrade changed this CRD; it is left as it is'
  return { kind: 'skip', because }
}
