import type { ApiObject } from '../meta/object.ts'
import { humanDuration } from './human-duration.ts'
import type { RawNumber } from './patch/raw-number.ts'

/** Null is shown as nothing. A number may be one that JavaScript cannot hold. */
export type Cell = string | number | RawNumber | boolean | null

/** One column of the table in which clients show objects of a kind. Its texts are on the wire, and upstream's. */
export interface Column<Hub extends ApiObject = ApiObject> {
  readonly name: string
  /** What clients may do with it; upstream calls numbers strings in some places. */
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  /** `name` marks the column that tells objects apart. */
  readonly format?: string
  readonly description: string
  /** Columns with priority 0 or none are always shown, others only in wide output. */
  readonly priority?: number
  /** `nowMs` is for ages. Also asked about a bookmark, which has metadata and nothing else. */
  readonly cell: (object: Hub, nowMs: number) => Cell
}

export const textColumn = <Hub extends ApiObject>(
  name: string,
  description: string,
  cell: Column<Hub>['cell'],
): Column<Hub> => ({ name, type: 'string', description, cell })

export const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description:
    'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names',
  cell: ({ metadata }) => metadata.name ?? '',
}

const creationDescription =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata'

export const ageColumn: Column = {
  name: 'Age',
  type: 'string',
  description: creationDescription,
  cell: ({ metadata }, nowMs) => ageOf(metadata.creationTimestamp, nowMs),
}

/** How upstream shows kinds for which it has no other columns. */
export const createdAtColumns: readonly Column[] = [
  nameColumn,
  {
    name: 'Created At',
    type: 'date',
    description: creationDescription,
    cell: ({ metadata }) => metadata.creationTimestamp ?? '0001-01-01T00:00:00Z',
  },
]

/** How upstream shows custom resources that do not say otherwise. */
export const dateColumns: readonly Column[] = [nameColumn, { ...ageColumn, type: 'date' }]

/** How long ago a time was. */
export function ageOf(time: string | null | undefined, nowMs: number): string {
  const ms = time ? Date.parse(time) : Number.NaN
  return Number.isNaN(ms) ? '<unknown>' : humanDuration(nowMs - ms)
}
