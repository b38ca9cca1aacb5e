import { defineReview } from '../machinery/define-review.ts'
import { type FieldError, invalid, required } from '../machinery/field-error.ts'
import { objectSchema, structSchema, text } from '../machinery/identity-version.ts'
import type { ApiObject } from '../meta/object.ts'
import {
  boundProblems,
  count,
  type NamedObject,
  namedObjects,
  questionProblems,
  resourceProperties,
} from './resource-question.ts'

/** How a batch ended. `EpochMoved`: the servers write otherwise by now, and nothing was written after that. */
export type ReencodeOutcome = 'More' | 'Done' | 'EpochMoved'

export interface StorageReencodeStatus {
  readonly outcome: ReencodeOutcome
  readonly epoch: number
  /** Of the record that was written under; absent if there is none. */
  readonly recordUID?: string
  readonly examined: number
  readonly migrated: number
  readonly alreadyCurrent: number
  /** Left as they are, each with its reason: whoever asked goes on with them one by one. */
  readonly left: number
  readonly objects?: readonly NamedObject[]
  /** With outcome `More`: where the next batch begins. */
  readonly continueToken?: string
  /** Of the last write, if there was one. */
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

/** Of one request. Each is a few transactions, and must be over before somebody loses patience. */
export const maxReencodeLimit = 5_000

const status = structSchema('StorageReencodeStatus', 'What was done.', {
  outcome: { ...text, description: 'More, Done, or EpochMoved: the servers write otherwise by now.' },
  epoch: { ...count, description: 'The epoch of the agreement record at the end.' },
  recordUID: { ...text, description: 'The uid of that record, without which its epoch says little.' },
  examined: { ...count, description: 'How many objects were looked at.' },
  migrated: { ...count, description: 'How many were written again.' },
  alreadyCurrent: { ...count, description: 'How many needed no write.' },
  left: { ...count, description: 'How many were left as they are.' },
  objects: namedObjects('Those that were left, each with its reason.'),
  continueToken: { ...text, description: 'Where the next batch begins.' },
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
          ...structSchema('StorageReencodeSpec', 'What is to be written again, and under which agreement.', {
            ...resourceProperties,
            epoch: { ...count, default: 0, description: 'The epoch in which the servers must agree.' },
            encodingVersion: { ...text, default: '', description: 'The version that they must agree on.' },
            limit: {
              ...count,
              description: `How many objects to look at, at most ${maxReencodeLimit}; 500 by default.`,
            },
            continueToken: { ...text, description: 'Where to begin: what the batch before has said.' },
          }),
          default: {},
          description: 'What is to be written again, and under which agreement.',
        },
        status: { ...status, description: 'What was done.' },
      },
      ['spec'],
    ),
    description: 'Asks for objects to be written again in the version that the servers agree on.',
  },
})

export function validateReencode({ spec }: Pick<StorageReencode, 'spec'>): FieldError[] {
  const { epoch = 0, encodingVersion = '' } = spec ?? {}
  return [
    ...questionProblems(spec ?? {}),
    // One that no number can hold is no record's.
    ...(Number.isSafeInteger(epoch) && epoch > 0
      ? []
      : [invalid('spec.epoch', epoch, 'must be the epoch of the agreement record')]),
    ...(encodingVersion === ''
      ? [required('spec.encodingVersion', 'names the version that the servers agree on')]
      : []),
    ...boundProblems('spec.limit', spec?.limit, maxReencodeLimit),
  ]
}
