import { defineResource } from '../machinery/define-resource.ts'
import { identityVersion, objectSchema, structSchema, text } from '../machinery/identity-version.ts'
import type { Schema } from '../machinery/schema.ts'
import type { ApiObject } from '../meta/object.ts'
import { type ResourceList, resourceListSchema, roundResourceList } from './resource-list.ts'
import { validateLimitRange } from './validate-limit-range.ts'

export interface LimitRangeItem {
  type: string
  max?: ResourceList
  min?: ResourceList
  default?: ResourceList
  defaultRequest?: ResourceList
  maxLimitRequestRatio?: ResourceList
}

/** Limits for single objects of a namespace. Not enforced: this server has no pods. */
export interface LimitRange extends ApiObject {
  spec?: { limits?: LimitRangeItem[] | null }
}

const item = structSchema(
  'LimitRangeItem',
  'The limits of one type of resource.',
  {
    type: {
      ...text,
      default: '',
      description: 'The type that is limited: Pod, Container, PersistentVolumeClaim, or a qualified name.',
    },
    max: resourceListSchema('The maximum of each resource.'),
    min: resourceListSchema('The minimum of each resource.'),
    default: resourceListSchema('The default limit, if a container sets none.'),
    defaultRequest: resourceListSchema('The default request, if a container sets none.'),
    maxLimitRequestRatio: resourceListSchema('The maximum ratio of limit to request.'),
  },
  ['type'],
)

const schema: Schema = {
  ...objectSchema({
    spec: {
      ...structSchema(
        'LimitRangeSpec',
        'The limits of one or more types.',
        {
          limits: {
            type: 'array',
            nullable: true,
            default: null,
            'x-kubernetes-list-type': 'atomic',
            items: item,
            description: 'The limits, one per type.',
          },
        },
        ['limits'],
      ),
      default: {},
      description: 'The limits.',
    },
  }),
  description:
    'Limits the resources of each object in a namespace. This server stores it and does not enforce it.',
}

/** Limits and requests that are not set are derived from the others. */
function fillIn(limit: LimitRangeItem): void {
  if (limit.type !== 'Container') return
  const { max, min } = limit
  const defaults = { ...max, ...limit.default }
  if (Object.keys(defaults).length > 0) limit.default = defaults
  const requests = { ...min, ...defaults, ...limit.defaultRequest }
  if (Object.keys(requests).length > 0) limit.defaultRequest = requests
}

function applyDefaults({ spec }: LimitRange): void {
  for (const limit of spec?.limits ?? []) {
    fillIn(limit)
    roundResourceList(limit.max)
    roundResourceList(limit.min)
    roundResourceList(limit.default)
    roundResourceList(limit.defaultRequest)
    roundResourceList(limit.maxLimitRequestRatio)
  }
}

export const limitRanges = defineResource<LimitRange>({
  group: '',
  kind: 'LimitRange',
  plural: 'limitranges',
  shortNames: ['limits'],
  scope: 'Namespaced',
  typed: true,
  versions: { v1: identityVersion<LimitRange>(schema, applyDefaults) },
  preferredStorageVersion: 'v1',
  storagePrefix: 'limitranges',
  strategy: {
    allowUnconditionalUpdate: true,
    allowCreateOnUpdate: true,
    validate: validateLimitRange,
  },
})
