import { type ApiObject, badRequest, type Column } from '@strata/api'
import type { Clock } from '@strata/world'
import type { ServedResource } from '../../registry/index.ts'
import { metadataOnly } from './partial-metadata.ts'

/** The options of a table. */
export interface TableForm {
  /** How much of each object is in its row. */
  readonly include: 'None' | 'Metadata' | 'Object'
  /** In a watch, only the first table has column definitions. */
  readonly hasColumns: boolean
  /** Cells show ages. */
  readonly clock: Clock
}

/** Only tables read this parameter; other forms ignore it. */
export function tableOptions(query: URLSearchParams, clock: Clock): TableForm {
  const include = query.get('includeObject') || 'Metadata'
  if (include !== 'None' && include !== 'Metadata' && include !== 'Object') {
    throw badRequest(
      `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(include)}: must be 'Metadata', 'Object', 'None', or empty`,
    )
  }
  return { include, hasColumns: true, clock }
}

/** Identifies the options of a table. Ages in shared bytes are from when they were made: a watch sends them at once. */
export function tableKey({ include, hasColumns }: TableForm): string {
  return `${include}${hasColumns ? ' with columns' : ''}`
}

/** An object that becomes a row: the data of its cells, and what is included with them. */
export interface RowObject {
  readonly hub: ApiObject
  readonly served: Uint8Array
  /** A bookmark has metadata and nothing else, so it cannot be converted. */
  readonly isBookmark?: boolean
}

interface TableOfForm {
  readonly table?: TableForm
  readonly metadataVersion: string
}

/** The table of a single object, or of one watch event. */
export function tableOfOne(
  resource: ServedResource,
  form: TableOfForm,
  object: RowObject & { readonly revision: number },
): Uint8Array {
  const { revision } = object
  const head = {
    kind: 'Table',
    apiVersion: form.metadataVersion,
    metadata: revision === 0 ? {} : { resourceVersion: String(revision) },
  }
  const begin = `${JSON.stringify(head).slice(0, -1)},${columnDefinitions(resource, form)},"rows":[`
  return Buffer.concat([Buffer.from(begin), tableRow(resource, form, object), Buffer.from(']}')])
}

/** The columnDefinitions field of a table, null if it is not repeated. */
export function columnDefinitions(
  { definition, columns: own }: ServedResource,
  { table }: TableOfForm,
): string {
  if (!table?.hasColumns) return '"columnDefinitions":null'
  const columns = (own ?? definition.columns).map(
    ({ name, type, format = '', description, priority = 0 }: Column) => ({
      name,
      type,
      format,
      description,
      priority,
    }),
  )
  return `"columnDefinitions":${JSON.stringify(columns)}`
}

export function tableRow(
  resource: ServedResource,
  { table, metadataVersion }: TableOfForm,
  { hub, served, isBookmark = false }: RowObject,
): Uint8Array {
  const nowMs = table?.clock.wallMs() ?? 0
  const { columns, codec, apiVersion, definition } = resource
  const shown = columns && !isBookmark ? codec.toWire(hub, apiVersion) : hub
  const cells = (columns ?? definition.columns).map(({ cell }) => cell(shown, nowMs))
  const head = Buffer.from(`{"cells":${JSON.stringify(cells)},"object":`)
  if (table?.include === 'None') return Buffer.concat([head, Buffer.from('null}')])
  const object = table?.include === 'Object' ? served : metadataOnly(resource, metadataVersion, served)
  return Buffer.concat([head, object, Buffer.from('}')])
}
