import { defineReview } from '../machinery/define-review.ts'
import { type FieldError, invalid, required } from '../machinery/field-error.ts'
import { objectSchema, structSchema, text } from '../machinery/identity-version.ts'
import type { ApiObject } from '../meta/object.ts'
import {
  boundProblems,
  count,
  type NamedObject,
  namedObjects,
  resourceProperties,
  validateReviewedResource,
} from './reviewed-resource.ts'

/** How a batch ended. `EpochMoved`: the servers write otherwise by now, and nothing was written after that. */
export type ReencodeOutcome = 'More' | 'Done' | 'EpochMoved'

export interface StorageReencodeStatus {
  readonly outcome: ReencodeOutcome
  readonly epoch: number
  /** The UID of the record that fenced the writes; absent if there is none. */
  readonly recordUID?: string
  readonly examined: number
  readonly migrated: number
  readonly alreadyCurrent: number
  /** Skipped objects, each with its reason. The caller migrates them one by one. */
  readonly left: number
  readonly objects?: readonly NamedObject[]
  /** With outcome `More`: where the next batch begins. */
  readonly continueToken?: string
  /** The revision of the last write, if there was one. */
  readonly resourceVersion?: string
}

/**
 * "Write these again, in the version that the servers agree on, as long as they agree in this epoch." Done next to the data,
 * a batch at a time; admission is not asked.
 */
export interface StorageReencode extends ApiObject {
  spec: {
    readonly group?: string
    readonly resource: string
    readonly epoch: number
    readonly encodingVersion: string
    readonly limit?: number
    readonly continueToken?: string
  }
  status?: StorageReencodeStatus
}

/** Bounds one request to a few transactions, so that it ends before the client times out. */
export const maxReencodeLimit = 5_000

const status = structSchema('StorageReencodeStatus', 'The result.', {
  outcome: { ...text, description: 'More, Done, or EpochMoved if the agreement has changed.' },
  epoch: { ...count, description: 'The epoch of the agreement record at the end.' },
  recordUID: { ...text, description: 'The UID of that record. It qualifies the epoch.' },
  examined: { ...count, description: 'How many objects were read.' },
  migrated: { ...count, description: 'How many objects were rewritten.' },
  alreadyCurrent: { ...count, description: 'How many objects needed no write.' },
  left: { ...count, description: 'How many objects were skipped.' },
  objects: namedObjects('The skipped objects, each with its reason.'),
  continueToken: { ...text, description: 'Where the next batch starts.' },
  resourceVersion: { ...text, description: 'The revision of the last write.' },
})

export const storageReencodes = defineReview<StorageReencode>({
  group: 'strata.dev',
  kind: 'StorageReencode',
  versionName: 'v1alpha1',
  scope: 'Cluster',
  schema: {
    ...objectSchema(
      {
        spec: {
          ...structSchema('StorageReencodeSpec', 'What to rewrite, and under which agreement.', {
            ...resourceProperties,
            epoch: { ...count, default: 0, description: 'The epoch that the agreement record must be in.' },
            encodingVersion: { ...text, default: '', description: 'The version that must be agreed on.' },
            limit: {
              ...count,
              description: `How many objects to look at, at most ${maxReencodeLimit}; 500 by default.`,
            },
            continueToken: { ...text, description: 'The continueToken of the previous batch.' },
          }),
          default: {},
          description: 'What to rewrite, and under which agreement.',
        },
        status: { ...status, description: 'The result.' },
      },
      ['spec'],
    ),
    description: 'Rewrites objects in the version that the servers agree on.',
  },
})

export function validateReencode({ spec }: Pick<StorageReencode, 'spec'>): FieldError[] {
  const { epoch = 0, encodingVersion = '' } = spec ?? {}
  return [
    ...validateReviewedResource(spec ?? {}),
    // One that no number can hold is no record's.
    ...(Number.isSafeInteger(epoch) && epoch > 0
      ? []
      : [invalid('spec.epoch', epoch, 'must be the epoch of the agreement record')]),
    ...(encodingVersion === ''
      ? [required('spec.encodingVersion', 'must name the version that the servers agree on')]
      : []),
    ...boundProblems('spec.limit', spec?.limit, maxReencodeLimit),
  ]
}
