import type { MigrationProgress } from '@strata/api'
import type { ObjectReference } from '@strata/client'

/**
 * The progress of an ended migration without these objects among those that were set aside; undefined if it names none of them.
 * The counts of what was migrated stay: they are about its passes.
 */
export function withoutSetAside(
  progress: MigrationProgress,
  objects: readonly ObjectReference[],
): MigrationProgress | undefined {
  const { quarantine = [], quarantined = 0 } = progress
  const isOff = (each: ObjectReference): boolean =>
    objects.some(({ namespace, name }) => each.name === name && (each.namespace ?? '') === (namespace ?? ''))
  const left = quarantine.filter((each) => !isOff(each))
  const off = quarantine.length - left.length
  if (off === 0) return undefined
  return { ...progress, quarantine: left, quarantined: Math.max(left.length, quarantined - off) }
}
