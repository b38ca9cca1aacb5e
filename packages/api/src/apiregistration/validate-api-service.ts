import { type FieldError, invalid, notSupported, required } from '../machinery/field-error.ts'
import { dns1035Label, dns1123Subdomain, pathSegment } from '../machinery/name-rules.ts'
import type { ApiService, ApiServiceSpec } from './api-service.ts'

// Upstream's rules, in upstream's order and words.

export function validateApiService({ metadata, spec }: Pick<ApiService, 'metadata' | 'spec'>): FieldError[] {
  const { group = '', version: versionName = '', groupPriorityMinimum = 0, versionPriority = 0 } = spec
  return [
    ...nameProblems(metadata.name ?? '', `${versionName}.${group}`),
    ...(group === '' && versionName !== 'v1'
      ? [required('spec.group', 'only v1 may have an empty group and it better be legacy kube')]
      : []),
    ...(group === '' ? [] : dns1123Subdomain(group).map((each) => invalid('spec.group', group, each))),
    ...dns1035Label(versionName).map((each) => invalid('spec.version', versionName, each)),
    ...priorityProblems('spec.groupPriorityMinimum', groupPriorityMinimum, 20_000),
    ...priorityProblems('spec.versionPriority', versionPriority, 1_000),
    ...(spec.service ? remoteProblems(spec, spec.service) : localProblems(spec)),
  ]
}

/** Characters that a path cannot contain are checked for every name, in the validation of metadata. */
function nameProblems(name: string, expected: string): FieldError[] {
  if (name === '' || name === expected || pathSegment(name).length > 0) return []
  const why = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(expected)}`
  return [invalid('metadata.name', name, why)]
}

function priorityProblems(path: string, value: number, most: number): FieldError[] {
  return value > 0 && value <= most ? [] : [invalid(path, value, `must be positive and less than ${most}`)]
}

function localProblems({ caBundle = '', insecureSkipTLSVerify = false }: ApiServiceSpec): FieldError[] {
  const bytes = Math.floor((caBundle.replace(/=+$/, '').length * 3) / 4)
  return [
    ...(bytes > 0
      ? [invalid('spec.caBundle', `${bytes} bytes`, 'local APIServices may not have a caBundle')]
      : []),
    ...(insecureSkipTLSVerify
      ? [invalid('spec.insecureSkipTLSVerify', true, 'local APIServices may not have insecureSkipTLSVerify')]
      : []),
  ]
}

function remoteProblems(
  { caBundle = '', insecureSkipTLSVerify = false }: ApiServiceSpec,
  { namespace = '', name = '', port = 0 }: NonNullable<ApiServiceSpec['service']>,
): FieldError[] {
  const path = 'spec.service'
  return [
    ...(namespace === '' ? [required(`${path}.namespace`)] : []),
    ...(name === '' ? [required(`${path}.name`)] : []),
    ...(port >= 1 && port <= 65_535
      ? []
      : [invalid(`${path}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive')]),
    ...(insecureSkipTLSVerify && caBundle !== ''
      ? [invalid('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present')]
      : []),
  ]
}

const statuses = ['True', 'False', 'Unknown']

export function validateApiServiceStatus({ status }: Pick<ApiService, 'status'>): FieldError[] {
  return (status?.conditions ?? []).flatMap(({ status: each }, index) =>
    statuses.includes(each) ? [] : [notSupported(`status.conditions[${index}].status`, each ?? '', statuses)],
  )
}
