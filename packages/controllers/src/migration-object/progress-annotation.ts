import type { MigrationProgress } from '@strata/api'

/** Where progress is kept that a server drops from the status: typed ones do, and definitions without our fields. */
export const progressAnnotation = 'strata.dev/progress'

/** What somebody else has written there is as if nothing had been. */
export function annotatedProgress(annotations: Readonly<Record<string, string>>): MigrationProgress {
  try {
    const value: unknown = JSON.parse(annotations[progressAnnotation] ?? '{}')
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
