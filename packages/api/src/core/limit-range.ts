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

/** How much one thing of a namespace may ask for. There are no pods here that it could be held against. */
export interface LimitRange extends ApiObject {
  spec?: { limits?: LimitRangeItem[] | null }
}

const item = structSchema(
  'LimitRangeItem',
  'How much things of one type may ask for.',
  {
    type: {
      ...text,
      default: '',
      description: 'What is limited: Pod, Container, PersistentVolumeClaim, or a name with a group.',
    },
    max: resourceListSchema('The most that may be asked for, by the name of the resource.'),
    min: resourceListSchema('The least that may be asked for.'),
    default: resourceListSchema('The limit of whoever names none.'),
    defaultRequest: resourceListSchema('The request of whoever names none.'),
    maxLimitRequestRatio: resourceListSchema('How many times the request a limit may be at most.'),
  },
  ['type'],
)

const schema: Schema = {
  ...objectSchema({
    spec: {
      ...structSchema(
        'LimitRangeSpec',
        'Limits for things of several types.',
        {
          limits: {
            type: 'array',
            nullable: true,
            default: null,
            'x-kubernetes-list-type': 'atomic',
            items: item,
            description: 'The limits, one for each type.',
          },
        },
        ['limits'],
      ),
      default: {},
      description: 'The limits.',
    },
  }),
  description:
    'How much each thing of a namespace may ask for. It is kept for those who check; this server holds nothing against it.',
}

/** What one list of a container does not say follows from the others. */
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
