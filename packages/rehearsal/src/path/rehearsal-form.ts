export const serverKinds = ['strata', 'kube-apiserver'] as const
export type ServerKind = (typeof serverKinds)[number]

export const verdicts = ['safe', 'unsafe', 'refused', 'could not see'] as const
export type StepVerdict = (typeof verdicts)[number]

/** A rehearsal as its file says it: names of modules and folders, nothing read. */
export interface RehearsalForm {
  readonly server: ServerKind
  readonly servers: number
  /** How Strata's servers agree on a storage version. */
  readonly coordination: 'report' | 'vote'
  readonly interleavings: number
  /** Modules with kinds, made with `defineResource`. Empty if there are `crds`. */
  readonly resources: readonly string[]
  /** By release: files and folders with CRDs, or CRDs. */
  readonly crds: Readonly<Record<string, readonly (string | object)[]>>
  /** A module with functions that convert custom resources, by the name of the CRD. */
  readonly conversions?: string | undefined
  readonly steps: readonly PlannedStep[]
}

/** What happens in one step. */
export type Deed =
  /** The first release starts; or every server but the late ones goes to another one, one after the other. */
  | { readonly do: 'release' | 'upgrade' | 'rollback'; readonly to: string; readonly late: readonly number[] }
  | { readonly do: 'crash' | 'start' | 'freeze' | 'thaw'; readonly server: number }
  /** Empty for all resources. */
  | { readonly do: 'migrate' | 'prune'; readonly resources: readonly string[] }
  /** Only objects are created. */
  | { readonly do: 'write' }

interface Limited {
  /** How many objects of each kind are taken, at most. */
  readonly limit: number
}

/** What a snapshot of etcd holds, for the first step. */
export interface SnapshotObjects extends Limited {
  readonly snapshot: string
}

/** What the cluster of the kubeconfig has, for the first step. */
export interface ClusterObjects extends Limited {
  readonly cluster: true
}

export interface PlannedStep {
  readonly deed: Deed
  /** How many to make up of each kind; manifests; or a file with manifests. */
  readonly objects?:
    | number
    | readonly object[]
    | { readonly file: string }
    | SnapshotObjects
    | ClusterObjects
    | undefined
  /** The verdict that is right: then the step passes. */
  readonly expect?: StepVerdict | undefined
}

/** `upgrade x+2, server 3 late`: what a report calls a step. */
export function stepText({ deed }: Pick<PlannedStep, 'deed'>): string {
  switch (deed.do) {
    case 'release':
    case 'upgrade':
    case 'rollback': {
      const late = deed.late.length === 0 ? '' : `, ${serversText(deed.late)} late`
      return `${deed.do} ${deed.to}${late}`
    }
    case 'migrate':
    case 'prune':
      return `${deed.do} ${deed.resources.length === 0 ? 'all' : deed.resources.join(', ')}`
    case 'write':
      return 'write objects'
    default:
      return `${deed.do} server ${deed.server}`
  }
}

export const serversText = (servers: readonly number[]): string =>
  `${servers.length === 1 ? 'server' : 'servers'} ${servers.join(', ')}`
