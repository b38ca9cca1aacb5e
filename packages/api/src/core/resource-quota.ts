import { ageColumn, type Cell, nameColumn, textColumn } from '../machinery/columns.ts'
import { defineResource } from '../machinery/define-resource.ts'
import { identityVersion, objectSchema, structSchema, text, textList } from '../machinery/identity-version.ts'
import type { Schema } from '../machinery/schema.ts'
import type { ApiObject } from '../meta/object.ts'
import { quotaScopes, scopeOperators } from './quota-scope.ts'
import { type ResourceList, resourceListSchema, roundResourceList } from './resource-list.ts'
import { validateQuotaUpdate, validateResourceQuota } from './validate-resource-quota.ts'

export interface ResourceQuotaSpec {
  hard?: ResourceList
  scopes?: string[]
  scopeSelector?: {
    matchExpressions?: { scopeName: string; operator: string; values?: string[] }[]
  }
}

/** Limits the total resources of a namespace. This server stores it and does not enforce it. */
export interface ResourceQuota extends ApiObject {
  spec?: ResourceQuotaSpec
  status?: { hard?: ResourceList; used?: ResourceList }
}

const scope: Schema = { ...text, enum: quotaScopes }

const requirement = structSchema(
  'ScopedResourceSelectorRequirement',
  'A requirement on a scope.',
  {
    scopeName: { ...scope, default: '', description: 'The scope.' },
    operator: {
      ...text,
      enum: scopeOperators,
      default: '',
      description: 'The operator: In, NotIn, Exists or DoesNotExist.',
    },
    values: {
      ...textList,
      'x-kubernetes-list-type': 'atomic',
      description: 'The values. At least one for In and NotIn, none for the other operators.',
    },
  },
  ['scopeName', 'operator'],
)

const spec = structSchema('ResourceQuotaSpec', 'The limits and what they apply to.', {
  hard: resourceListSchema('The limit of each resource.'),
  scopes: {
    type: 'array',
    'x-kubernetes-list-type': 'atomic',
    items: scope,
    description: 'Counts only objects that match all of these scopes. Immutable.',
  },
  scopeSelector: {
    ...structSchema('ScopeSelector', 'Requirements on scopes, all of which must match.', {
      matchExpressions: {
        type: 'array',
        'x-kubernetes-list-type': 'atomic',
        items: requirement,
        description: 'The requirements.',
      },
    }),
    'x-kubernetes-map-type': 'atomic',
    nullable: true,
    description: 'Counts only objects that match these requirements, in addition to scopes.',
  },
})

const schema: Schema = {
  ...objectSchema({
    spec: { ...spec, default: {}, description: 'The limits and what they apply to.' },
    status: {
      ...structSchema('ResourceQuotaStatus', 'The limits and the current usage.', {
        hard: resourceListSchema('The limits when the usage was computed.'),
        used: resourceListSchema('The usage of each resource.'),
      }),
      default: {},
      description: 'The limits and the usage that a quota controller last computed.',
    },
  }),
  description: 'Limits the total resources of a namespace. This server stores it and does not enforce it.',
}

function roundAmounts({ spec, status }: ResourceQuota): void {
  roundResourceList(spec?.hard)
  roundResourceList(status?.hard)
  roundResourceList(status?.used)
}

/** `pods: 1/10, …`, of the limits of resources or of everything else. */
function usageCell({ status }: ResourceQuota, ofLimits: boolean): Cell {
  return Object.entries(status?.hard ?? {})
    .filter(([name]) => name.startsWith('limits.') === ofLimits)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, hard]) => `${name}: ${status?.used?.[name] ?? '0'}/${hard}`)
    .join(', ')
}

export const resourceQuotas = defineResource<ResourceQuota>({
  group: '',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  shortNames: ['quota'],
  scope: 'Namespaced',
  typed: true,
  versions: { v1: identityVersion<ResourceQuota>(schema, roundAmounts) },
  preferredStorageVersion: 'v1',
  storagePrefix: 'resourcequotas',
  subresources: { status: true },
  columns: [
    nameColumn,
    textColumn(
      'Request',
      'Request represents a minimum amount of cpu/memory that a container may consume.',
      (quota) => usageCell(quota, false),
    ),
    textColumn(
      'Limit',
      'Limits control the maximum amount of cpu/memory that a container may use independent of contention on the node.',
      (quota) => usageCell(quota, true),
    ),
    ageColumn,
  ],
  strategy: {
    allowUnconditionalUpdate: true,
    returnsDeletedObject: true,
    prepareForCreate: (quota) => {
      quota.status = {}
    },
    prepareForUpdate: (quota, stored) => {
      quota.status = structuredClone(stored.status ?? {})
    },
    validate: validateResourceQuota,
    validateUpdate: validateQuotaUpdate,
  },
})
