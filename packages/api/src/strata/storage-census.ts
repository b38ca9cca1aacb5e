import { defineReview } from '../machinery/define-review.ts'
import type { FieldError } from '../machinery/field-error.ts'
import { boolean, objectSchema, structSchema, text } from '../machinery/identity-version.ts'
import type { ApiObject } from '../meta/object.ts'
import {
  boundProblems,
  count,
  type NamedObject,
  namedObjects,
  resourceProperties,
  validateReviewedResource,
} from './reviewed-resource.ts'

/** How many objects are stored in one way. */
export interface StoredEncoding {
  readonly encodingVersion: string
  /** The key under which they are encrypted; absent if they are not. */
  readonly key?: string
  readonly count: number
}

/** An exact reading of the store: in which versions, and under which keys, the objects of one resource lie there. */
export interface StorageCensusStatus {
  /** As of this revision of the store. */
  readonly resourceVersion: string
  readonly total: number
  /** Sorted; what cannot be read at all is in none of them. */
  readonly encodings: readonly StoredEncoding[]
  readonly unreadable: number
  /** The epoch of the agreement record when the reading began; absent if the servers did not agree. */
  readonly epoch?: number
  /** The UID of that record: a record that was lost and recreated counts its epochs from 1. */
  readonly recordUID?: string
  readonly agreedVersion?: string
  /** The key that all servers write under; absent if they do not encrypt, or do not agree. */
  readonly writeKey?: string
  readonly fenced?: boolean
  /** Not in the agreed version, or not under the key that is written with. */
  readonly stale?: number
  /** The first of those that are stale or unreadable, as many as were asked for. */
  readonly objects?: readonly NamedObject[]
  /**
   * The counts are final: the record was in the same epoch, and fenced, when the reading ended, so no stale object was added.
   * It does not mean that there is none: all objects are proven to be current if this is true and `stale` and `unreadable`
   * are 0. For a resource that no server writes: nothing is stored, and no earlier write can still arrive.
   */
  readonly proven: boolean
}

/** "What is really stored?" Answered next to the data, and never stored. */
export interface StorageCensus extends ApiObject {
  spec: { readonly group?: string; readonly resource: string; readonly maxObjects?: number }
  status?: StorageCensusStatus
}

/** Bounds the size of the response. */
export const maxCensusObjects = 1_000

const encoding = structSchema(
  'StoredEncoding',
  'The number of objects in one version and under one key.',
  {
    encodingVersion: { ...text, description: 'The version.' },
    key: { ...text, description: 'The encryption key, if any.' },
    count: { ...count, description: 'How many.' },
  },
  ['encodingVersion', 'count'],
)

const status = structSchema('StorageCensusStatus', 'Exact counts from the store.', {
  resourceVersion: { ...text, description: 'The store revision that was read.' },
  total: { ...count, description: 'How many objects there are.' },
  encodings: {
    type: 'array',
    'x-kubernetes-list-type': 'atomic',
    items: encoding,
    description: 'The number of objects by version and key.',
  },
  unreadable: { ...count, description: 'How many objects cannot be decoded.' },
  epoch: { ...count, description: 'The epoch of the agreement record.' },
  recordUID: { ...text, description: 'The UID of the agreement record. It qualifies the epoch.' },
  agreedVersion: { ...text, description: 'The version that the servers agree on.' },
  writeKey: { ...text, description: 'The encryption key that the servers write with, if any.' },
  fenced: { ...boolean, description: 'Whether every write is fenced by the record.' },
  stale: { ...count, description: 'How many objects are not in the current version and key.' },
  objects: namedObjects('The first objects that are stale or cannot be decoded.'),
  proven: {
    ...boolean,
    description:
      'Whether the counts are final: the record was fenced and did not change during the reading. If true, and stale and unreadable are 0, every object is proven to be in the current version. For a resource that no server writes: nothing is stored.',
  },
})

export const storageCensuses = defineReview<StorageCensus>({
  group: 'strata.dev',
  kind: 'StorageCensus',
  plural: 'storagecensuses',
  versionName: 'v1alpha1',
  scope: 'Cluster',
  schema: {
    ...objectSchema(
      {
        spec: {
          ...structSchema('StorageCensusSpec', 'The resource to count.', {
            ...resourceProperties,
            maxObjects: {
              ...count,
              description: `How many stale objects to name, at most ${maxCensusObjects}; none by default.`,
            },
          }),
          default: {},
          description: 'The resource to count.',
        },
        status: { ...status, description: 'The answer.' },
      },
      ['spec'],
    ),
    description: 'Counts the stored objects of a resource by version.',
  },
})

export function validateCensus({ spec }: Pick<StorageCensus, 'spec'>): FieldError[] {
  return [
    ...validateReviewedResource(spec ?? {}),
    ...boundProblems('spec.maxObjects', spec?.maxObjects, maxCensusObjects),
  ]
}
