import type { MigrationProgress } from '@strata/api'

/** Holds progress where a server drops it from the status: upstream's typed kind, and CRDs without our fields. */
export const progressAnnotation = 'strata.dev/progress'

const maxQuarantined = 10

/** Progress from the annotation; empty if the value is not ours. */
export function annotatedProgress(annotations: Readonly<Record<string, string>>): MigrationProgress {
  try {
    const value: unknown = JSON.parse(annotations[progressAnnotation] ?? '{}')
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

export function annotationOf({ quarantine, ...progress }: MigrationProgress): string {
  return JSON.stringify({
    ...progress,
    ...(quarantine ? { quarantine: quarantine.slice(0, maxQuarantined) } : {}),
  })
}
