import type { PolicyRule } from '@strata/api'

/** What those hold who may do everything. */
export const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]
