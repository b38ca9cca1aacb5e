import { type FieldError, invalid } from '../machinery/field-error.ts'
import { qualifiedName } from '../machinery/name-rules.ts'

/** Resources that are counted in integers. */
const countedResources = [
  'configmaps',
  'persistentvolumeclaims',
  'pods',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'services',
  'services.loadbalancers',
  'services.nodeports',
] as const

const containerResources: ReadonlySet<string> = new Set(['cpu', 'ephemeral-storage', 'memory'])
const quotaResources: ReadonlySet<string> = new Set([
  ...countedResources,
  ...containerResources,
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
  'requests.storage',
])
const counted: ReadonlySet<string> = new Set(countedResources)

const hugePages = 'hugepages-'
const requests = 'requests.'

/** The names without a group that a quota may have. */
export function isQuotaResource(name: string): boolean {
  return quotaResources.has(name) || name.startsWith(hugePages) || name.startsWith(requests + hugePages)
}

/** A name without a group is Kubernetes' own. */
function isNativeResource(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/')
}

function isExtendedResource(name: string): boolean {
  return !isNativeResource(name) && !name.startsWith(requests) && qualifiedName(requests + name).length === 0
}

export function isIntegerResource(name: string): boolean {
  return counted.has(name) || isExtendedResource(name)
}

/** Whether more of it may be promised than there is. */
export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !name.startsWith(hugePages)
}

export function resourceNameProblems(name: string, path: string): FieldError[] {
  const problems = qualifiedName(name).map((problem) => invalid(path, name, problem))
  if (problems.length > 0 || name.includes('/') || name === 'storage' || isQuotaResource(name))
    return problems
  return [invalid(path, name, 'must be a standard resource type or fully qualified')]
}

export function quotaResourceProblems(name: string, path: string): FieldError[] {
  const problems = resourceNameProblems(name, path)
  if (!name.includes('/') && !isQuotaResource(name)) {
    problems.push(invalid(path, name, 'must be a standard resource for quota'))
  }
  return problems
}

export function containerResourceProblems(name: string, path: string): FieldError[] {
  const problems = resourceNameProblems(name, path)
  if (!name.includes('/')) {
    if (!containerResources.has(name) && !name.startsWith(hugePages)) {
      problems.push(invalid(path, name, 'must be a standard resource for containers'))
    }
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    problems.push(invalid(path, name, "doesn't follow extended resource name standard"))
  }
  return problems
}
