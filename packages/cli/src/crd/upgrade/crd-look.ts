import type { CustomResourceDefinition } from '@strata/api'
import type { CrdDocument } from '../documents/index.ts'
import type { CrdPlan } from '../plan/crd-plan.ts'
import type { LossGroup } from './loss-groups.ts'
import type { UpgradeStop } from './upgrade-stop.ts'
import type { CrdWriter } from './write/decide-writer.ts'

/** Everything that is known about one CRD before the first write. */
export interface CrdLook {
  readonly document: CrdDocument
  readonly name: string
  readonly live: CustomResourceDefinition | undefined
  /** As it was before an upgrade that this one continues; else `live`. */
  readonly original: CustomResourceDefinition | undefined
  readonly plan: CrdPlan
  readonly writer: CrdWriter
  readonly managedBy: readonly string[]
  /** Undefined if no version is served, so that none could be read. */
  readonly objects: number | undefined
  readonly losses: readonly LossGroup[]
  readonly savedObjects: string | undefined
  readonly warnings: readonly string[]
  /** Why nothing may be written. */
  readonly stop: UpgradeStop | undefined
}
