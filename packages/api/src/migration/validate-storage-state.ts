import { duplicate, type FieldError, invalid, required } from '../machinery/field-error.ts'
import { goTimeProblem } from '../machinery/go-time.ts'
import { dns1035Label, dns1123Subdomain } from '../machinery/name-rules.ts'
import type { StorageState } from './storage-state.ts'

/** `deployments.apps`; of the core group, `secrets`. */
export function storageStateName({
  group = '',
  resource,
}: {
  readonly group?: string
  readonly resource: string
}): string {
  return group === '' ? resource : `${resource}.${group}`
}

/**
 * KEP "Automated storage version migration": "The API validation will enforce it by comparing the name with the
 * spec.resource." If name and spec differed, a client that looks for the name would find the state of another resource.
 */
export function validateState(state: Pick<StorageState, 'metadata' | 'spec'>): FieldError[] {
  const { group = '', resource = '' } = state.spec?.resource ?? {}
  if (resource === '') return [required('spec.resource.resource', 'must name the resource')]
  const name = state.metadata.name ?? ''
  const expected = storageStateName({ group, resource })
  return [
    ...resourceProblems({ group, resource }, 'spec.resource'),
    ...(name === expected
      ? []
      : [
          invalid(
            'metadata.name',
            name,
            `must be ${JSON.stringify(expected)}, which is what spec.resource says: <resource>.<group>, or <resource> in the core group`,
          ),
        ]),
  ]
}

/** A group and a resource as upstream's own migrations want them. */
export function resourceProblems(
  { group, resource }: { readonly group: string; readonly resource: string },
  path: string,
): FieldError[] {
  const groupProblems = group === '' ? [] : dns1123Subdomain(group)
  return [
    ...dns1035Label(resource).map((each) => invalid(`${path}.resource`, resource, each)),
    ...groupProblems.map((each) => invalid(`${path}.group`, group, each)),
  ]
}

/** A stored name is not validated again: the CRD of kube-storage-version-migrator accepted every name. */
export function validateStateUpdate(
  { spec }: Pick<StorageState, 'spec'>,
  stored: Pick<StorageState, 'spec'>,
): FieldError[] {
  const [next, before] = [spec?.resource, stored.spec?.resource]
  const isSame = next?.resource === before?.resource && (next?.group ?? '') === (before?.group ?? '')
  return isSame ? [] : [invalid('spec.resource', next ?? null, 'field is immutable')]
}

export function validateStateStatus({ status = {} }: Pick<StorageState, 'status'>): FieldError[] {
  const { persistedStorageVersionHashes = [], currentStorageVersionHashes = [], lastHeartbeatTime } = status
  const reporters = new Set<string>()
  return [
    ...persistedStorageVersionHashes.flatMap((each, index) =>
      each === '' ? [required(`status.persistedStorageVersionHashes[${index}]`)] : [],
    ),
    ...timeProblems(lastHeartbeatTime, 'status.lastHeartbeatTime'),
    ...currentStorageVersionHashes.flatMap((each, index) => {
      const path = `status.currentStorageVersionHashes[${index}]`
      const { reporterID = '', currentStorageVersionHash = '' } = each
      const isRepeated = reporters.has(reporterID)
      reporters.add(reporterID)
      return [
        ...(reporterID === '' ? [required(`${path}.reporterID`)] : []),
        ...(isRepeated && reporterID !== '' ? [duplicate(`${path}.reporterID`, reporterID)] : []),
        ...(currentStorageVersionHash === '' ? [required(`${path}.currentStorageVersionHash`)] : []),
        ...timeProblems(each.lastHeartbeatTime, `${path}.lastHeartbeatTime`),
      ]
    }),
  ]
}

function timeProblems(text: string | null | undefined, path: string): FieldError[] {
  const problem = text ? goTimeProblem(text, false) : undefined
  return problem === undefined ? [] : [invalid(path, text, problem)]
}
