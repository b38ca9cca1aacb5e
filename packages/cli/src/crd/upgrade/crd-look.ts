import type { CustomResourceDefinition } from '@strata/api'
import type { CrdDocument } from '../documents/index.ts'
import type { CrdPlan } from '../plan/crd-plan.ts'
import type { ComparedObjects } from './compared-objects.ts'
import type { LossGroup } from './loss-groups.ts'
import type { UpgradeOptions } from './upgrade-options.ts'
import type { UpgradeStop } from './upgrade-stop.ts'
import type { CrdWriter } from './write/decide-writer.ts'

/** Everything that is known about one CRD before the first write. */
export interface CrdLook {
  readonly document: CrdDocument
  readonly name: string
  /** On the way back, `document` holds the old CRD. */
  readonly file: 'new' | 'old'
  readonly live: CustomResourceDefinition | undefined
  /** As it was before an upgrade that this one continues; else `live`. */
  readonly original: CustomResourceDefinition | undefined
  readonly plan: CrdPlan
  /** The weakest result of a migration that is enough. */
  readonly accept: UpgradeOptions['accept']
  readonly writer: CrdWriter
  readonly managedBy: readonly string[]
  /** What was compared; absent if nothing was. */
  readonly compared?: ComparedObjects
  /** When the objects were compared, by the monotonic clock. */
  readonly atMs: number
  /** Undefined if none could be read, or the server did not say how many there are. */
  readonly objects: number | undefined
  readonly losses: readonly LossGroup[]
  readonly savedObjects: string | undefined
  readonly warnings: readonly string[]
  /** Objects that name versions which will be gone, in one sentence; absent if none does. */
  readonly oldOwners?: string
  /** On the way back: why there is nothing to put back. The other CRDs go their way. */
  readonly skip?: string
  /** Why nothing may be written. */
  readonly stop: UpgradeStop | undefined
}
