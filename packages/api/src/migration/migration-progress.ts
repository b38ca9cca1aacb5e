import { type FieldError, invalid, notSupported, required, tooMany } from '../machinery/field-error.ts'
import { boolean, integer, structSchema, text } from '../machinery/field-schemas.ts'
import type { Schema } from '../machinery/schema.ts'

/** How it is known in which version the servers write: from the surest to nothing at all. */
export const targetSources = ['record', 'storageversion', 'definition', 'discovery', 'unpublished'] as const

/** The target of a migration, read before the first write. If it has changed at the end, the migration has not succeeded. */
export interface MigrationTarget {
  readonly how: (typeof targetSources)[number]
  /** Whether every write is guarded by the record that this was read from. Only then can anything be proven. */
  readonly fenced?: boolean
  readonly encodingVersion?: string
  /** The storageVersionHash in discovery, if the version itself is not published. */
  readonly hash?: string
  /** The UID of the agreement record: a record that was lost and recreated counts its epochs anew. */
  readonly recordUID?: string
  /** The epoch of the agreement record. */
  readonly epoch?: number
  /** If the record is fenced: objects written after this revision are in the encoding of the epoch. */
  readonly epochResourceVersion?: string
  /** The resourceVersion of the StorageVersion object. */
  readonly resourceVersion?: string
  readonly definition?: {
    readonly uid: string
    readonly generation: number
    readonly storageVersion: string
  }
}

/** An object that could not be brought to the target, and why. */
export interface QuarantinedObject {
  readonly namespace?: string
  readonly name: string
  readonly reason: string
  readonly message?: string
}

/** The result of a finished migration. */
export const migrationResults = ['Proven', 'ObservedClean', 'Unknown'] as const
export type MigrationResult = (typeof migrationResults)[number]

/** What kind of failure a Failed condition reports. */
export const migrationFailures = ['Incomplete', 'Aborted', 'Failed'] as const
export type MigrationFailure = (typeof migrationFailures)[number]

/** Progress fields that both kinds of migration have besides upstream's conditions. Other clients ignore them. */
export interface MigrationProgress {
  readonly epoch?: number
  readonly target?: MigrationTarget
  readonly total?: number
  readonly migrated?: number
  readonly alreadyCurrent?: number
  readonly quarantined?: number
  /** The first of them. */
  readonly quarantine?: readonly QuarantinedObject[]
  readonly percent?: number
  readonly ratePerSecond?: number
  readonly etaSeconds?: number
  /** An opaque checkpoint. The migrator resumes here after a restart. */
  readonly continueToken?: string
  readonly result?: MigrationResult
  readonly failure?: MigrationFailure
  /** The transient error that a running migration waits out. */
  readonly waitingFor?: string
}

/** Bounds the size of an object that every server keeps in memory. Further objects are counted, and the migrator prints them. */
export const maxQuarantine = 100

const count: Schema = { ...integer, format: 'int64' }

const definition = structSchema('DefinitionState', 'The state of the CRD that was read.', {
  uid: { ...text, description: 'Its uid.' },
  generation: { ...count, description: 'The generation of the CRD.' },
  storageVersion: { ...text, description: 'The storage version that the CRD names.' },
})

const target = structSchema(
  'MigrationTarget',
  'The storage version that every object is migrated to.',
  {
    how: {
      ...text,
      description: 'The source: record, storageversion, definition, discovery or unpublished.',
    },
    fenced: { ...boolean, description: 'Whether every write is fenced by the agreement record.' },
    encodingVersion: { ...text, description: 'The version that the servers write.' },
    hash: { ...text, description: 'The storageVersionHash in discovery, if only the hash is known.' },
    recordUID: { ...text, description: 'The UID of the agreement record.' },
    epoch: { ...count, description: 'The epoch of the agreement record.' },
    epochResourceVersion: {
      ...text,
      description: 'Objects written after this resourceVersion are in the encoding of the epoch.',
    },
    resourceVersion: { ...text, description: 'The resourceVersion of the StorageVersion that was read.' },
    definition: { ...definition, description: 'The CRD that was read.' },
  },
  ['how'],
)

const quarantined = structSchema(
  'QuarantinedObject',
  'An object that could not be migrated.',
  {
    namespace: { ...text, description: 'The namespace, if any.' },
    name: { ...text, description: 'Its name.' },
    reason: { ...text, description: 'A machine-readable reason, in CamelCase.' },
    message: { ...text, description: 'A human-readable explanation.' },
  },
  ['name', 'reason'],
)

/** Fields of the status of a migration. */
export const progressProperties: Readonly<Record<string, Schema>> = {
  epoch: { ...count, description: 'The agreement epoch that the migration belongs to.' },
  target: { ...target, description: 'The storage version that every object is migrated to.' },
  total: { ...count, description: 'How many objects there are.' },
  migrated: { ...count, description: 'How many objects were rewritten.' },
  alreadyCurrent: { ...count, description: 'How many objects needed no write.' },
  quarantined: { ...count, description: 'How many objects could not be migrated.' },
  quarantine: {
    type: 'array',
    'x-kubernetes-list-type': 'atomic',
    items: quarantined,
    description: `The first ${maxQuarantine} objects that could not be migrated, each with its reason.`,
  },
  percent: { ...integer, format: 'int32', description: 'The progress in percent.' },
  ratePerSecond: { type: 'number', format: 'double', description: 'Objects processed per second.' },
  etaSeconds: { ...count, description: 'The estimated remaining time, in seconds.' },
  continueToken: { ...text, description: 'An opaque checkpoint. The migrator resumes here after a restart.' },
  result: {
    ...text,
    description:
      'The result: Proven (every object is in the target version), ObservedClean (a second pass found nothing left) or Unknown.',
  },
  failure: {
    ...text,
    description:
      'Why the migration failed: Incomplete, some objects are not migrated; Aborted, the target changed or a user cancelled it; Failed, it could not continue.',
  },
  waitingFor: { ...text, description: 'The error that a running migration retries.' },
}

const counts = [
  'epoch',
  'total',
  'migrated',
  'alreadyCurrent',
  'quarantined',
  'ratePerSecond',
  'etaSeconds',
] as const

export function validateProgress(status: MigrationProgress, path: string): FieldError[] {
  const { percent = 0, quarantine = [], result, failure, target } = status
  return [
    ...counts.flatMap((field) => {
      const value = status[field] ?? 0
      return value < 0 ? [invalid(`${path}.${field}`, value, 'must be greater than or equal to zero')] : []
    }),
    ...(target && !targetSources.includes(target.how)
      ? [notSupported(`${path}.target.how`, target.how ?? '', targetSources)]
      : []),
    ...(percent < 0 || percent > 100
      ? [invalid(`${path}.percent`, percent, 'must be between 0 and 100, inclusive')]
      : []),
    ...quarantineProblems(quarantine, `${path}.quarantine`),
    ...(result !== undefined && !migrationResults.includes(result)
      ? [notSupported(`${path}.result`, result, migrationResults)]
      : []),
    ...(failure !== undefined && !migrationFailures.includes(failure)
      ? [notSupported(`${path}.failure`, failure, migrationFailures)]
      : []),
  ]
}

function quarantineProblems(quarantine: readonly Partial<QuarantinedObject>[], path: string): FieldError[] {
  if (quarantine.length > maxQuarantine) return [tooMany(path, quarantine.length, maxQuarantine)]
  return quarantine.flatMap(({ name, reason }, index) => [
    ...(name ? [] : [required(`${path}[${index}].name`)]),
    ...(reason ? [] : [required(`${path}[${index}].reason`)]),
  ])
}
