import type { NoReturn, PathStep } from './decide-return.ts'

/** How a cluster gets from one release of Kubernetes to another, as `strata check` answers it. Part of `-o json`. */
export interface KubernetesPath {
  /** What the servers say: `v1.36.4`. */
  readonly serverVersion: string
  readonly from: string
  readonly to: string
  readonly bornAt?: string
  /** One minor release at a time; empty if the cluster is there, or if a release is unknown. */
  readonly steps: readonly PathStep[]
  readonly noReturns: readonly NoReturn[]
  readonly leftBehind: readonly string[]
  /** The release that is not in the table, and what the table has; absent if all are known. */
  readonly unknownRelease?: string | undefined
  /** What the answer takes for granted, and anything that speaks against it. */
  readonly assumptions: readonly string[]
  /** Where the table comes from. */
  readonly repository: string
}
