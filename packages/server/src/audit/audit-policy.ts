/** How much of a request is recorded, from nothing to everything. */
export const levels = ['None', 'Metadata', 'Request', 'RequestResponse'] as const
export type Level = (typeof levels)[number]

export const stages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const
export type Stage = (typeof stages)[number]

export interface GroupResources {
  /** '' is the core group, `*` all of them. */
  readonly group: string
  /** Empty: all. `pods`, `pods/log`, `pods/*`, `*` + `/scale`, `*`. */
  readonly resources: readonly string[]
  readonly resourceNames: readonly string[]
}

/** An empty field of a rule matches everything. */
export interface PolicyRule {
  readonly level: Level
  readonly users: readonly string[]
  readonly userGroups: readonly string[]
  readonly verbs: readonly string[]
  readonly resources: readonly GroupResources[]
  /** '' matches objects without a namespace. */
  readonly namespaces: readonly string[]
  readonly nonResourceURLs: readonly string[]
  readonly omitStages: readonly Stage[]
  readonly omitManagedFields: boolean
}

/** audit.k8s.io/v1 Policy: the first matching rule decides. */
export interface Policy {
  readonly rules: readonly PolicyRule[]
}
