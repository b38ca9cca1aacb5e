import { type ApiObject, badRequest, type Column } from '@strata/api'
import type { Clock } from '@strata/world'
import type { ServedResource } from '../../registry/index.ts'
import { metadataOnly } from './partial-metadata.ts'

/** How a client wants its table. */
export interface TableForm {
  /** How much of each object comes with its row. */
  readonly include: 'None' | 'Metadata' | 'Object'
  /** In a watch, the first table says what the columns are, and the others do not repeat it. */
  readonly hasColumns: boolean
  /** Cells tell ages. */
  readonly clock: Clock
}

/** Only tables read this parameter; for every other form it is one that nobody knows. */
export function tableOptions(query: URLSearchParams, clock: Clock): TableForm {
  const include = query.get('includeObject') || 'Metadata'
  if (include !== 'None' && include !== 'Metadata' && include !== 'Object') {
    throw badRequest(
      `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(include)}: must be 'Metadata', 'Object', 'None', or empty`,
    )
  }
  return { include, hasColumns: true, clock }
}

/** Names a way of making tables. Ages are as old as the bytes: a watch sends them when they are made. */
export function tableKey({ include, hasColumns }: TableForm): string {
  return `${include}${hasColumns ? ' with columns' : ''}`
}

/** An object that will be a row: what cells are made of, and what may come with them. */
export interface RowObject {
  readonly hub: ApiObject
  readonly served: Uint8Array
}

interface TableOfForm {
  readonly table?: TableForm
  readonly metadataVersion: string
}

/** The table of a single object, or of one event of a watch. */
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

/** The field of a table that says what its columns are, or that it does not say it again. */
export function columnDefinitions({ definition }: ServedResource, { table }: TableOfForm): string {
  if (!table?.hasColumns) return '"columnDefinitions":null'
  const columns = definition.columns.map(
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
  { hub, served }: RowObject,
): Uint8Array {
  const nowMs = table?.clock.wallMs() ?? 0
  const cells = resource.definition.columns.map(({ cell }) => cell(hub, nowMs))
  const head = Buffer.from(`{"cells":${JSON.stringify(cells)},"object":`)
  if (table?.include === 'None') return Buffer.concat([head, Buffer.from('null}')])
  const object = table?.include === 'Object' ? served : metadataOnly(resource, metadataVersion, served)
  return Buffer.concat([head, object, Buffer.from('}')])
}
