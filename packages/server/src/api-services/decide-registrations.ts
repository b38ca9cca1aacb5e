import {
  type ApiService,
  type ApiServiceSpec,
  type ApiServiceStatus,
  apiServiceName,
  type FoundAvailable,
  jsonEqual,
  localCondition,
  withAvailable,
} from '@strata/api'
import { prioritiesOf } from '../discovery/index.ts'

/** Upstream's label, which distinguishes automanaged APIServices from those of clients. */
export const automanagedLabel = 'kube-aggregator.kubernetes.io/automanaged'

/** A group version that this server serves. */
export interface LocalVersion {
  readonly group: string
  readonly versionName: string
  /** It exists only because of CRDs, and goes with them. */
  readonly isCustom: boolean
}

export type Registration =
  | { readonly do: 'create'; readonly object: ApiService }
  | { readonly do: 'update'; readonly object: ApiService }
  | { readonly do: 'say'; readonly object: ApiService; readonly status: ApiServiceStatus }
  | { readonly do: 'delete'; readonly object: ApiService }

/**
 * The writes needed so that each local version has an APIService, and each APIService has its availability.
 *
 * Those of built-in versions are written once, when a server starts, and never removed: another release in the fleet may have
 * what this one has not. Those of custom resources are reconciled all the time; every server knows all CRDs.
 */
export function decideRegistrations({
  local,
  current,
  isStart,
  now,
  foundOf,
}: {
  readonly local: readonly LocalVersion[]
  /** By name. */
  readonly current: ReadonlyMap<string, ApiService>
  readonly isStart: boolean
  readonly now: string
  /** What this server has found about the backend of an APIService, and not written yet. */
  readonly foundOf: (name: string) => FoundAvailable | undefined
}): readonly Registration[] {
  const wanted = new Map(local.map((each) => [apiServiceName(each.group, each.versionName), each]))
  return [
    ...[...wanted].flatMap(([name, version]) => keep(name, version, current.get(name), isStart)),
    ...[...current].flatMap(([name, object]): readonly Registration[] => {
      if (isAutomanaged(object, 'true') && !wanted.has(name)) return [{ do: 'delete', object }]
      const found = object.spec.service ? foundOf(name) : localCondition
      if (!found) return []
      const status = withAvailable(object.status ?? {}, found, now)
      return status === object.status ? [] : [{ do: 'say', object, status }]
    }),
  ]
}

function keep(
  name: string,
  version: LocalVersion,
  current: ApiService | undefined,
  isStart: boolean,
): readonly Registration[] {
  if (!version.isCustom && !isStart) return []
  const spec = specOf(version)
  if (!current) {
    const labels = { [automanagedLabel]: version.isCustom ? 'true' : 'onstart' }
    return [{ do: 'create', object: { metadata: { name, labels }, spec, status: {} } }]
  }
  // An administrator who removes the label manages the APIService manually.
  if (!isAutomanaged(current) || jsonEqual({ ...current.spec }, { ...spec })) return []
  return [{ do: 'update', object: { ...current, spec } }]
}

function specOf({ group, versionName }: LocalVersion): ApiServiceSpec {
  const priorities = prioritiesOf(group, versionName)
  return {
    ...(group === '' ? {} : { group }),
    version: versionName,
    groupPriorityMinimum: priorities.group,
    versionPriority: priorities.version,
  }
}

export function isAutomanaged({ metadata }: ApiService, how?: 'true' | 'onstart'): boolean {
  const label = metadata.labels?.[automanagedLabel]
  return how === undefined ? label === 'true' || label === 'onstart' : label === how
}
