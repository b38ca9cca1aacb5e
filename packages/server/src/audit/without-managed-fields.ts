type Fields = Readonly<Record<string, unknown>>

/** The object without managedFields; for a list or a table, every object in it. */
export function withoutManagedFields(object: unknown): unknown {
  if (typeof object !== 'object' || object === null) return object
  const { metadata, items, rows, ...rest } = object as Fields
  return {
    ...rest,
    ...(metadata === undefined ? {} : { metadata: withoutOwn(metadata) }),
    ...(Array.isArray(items)
      ? { items: items.map(withoutManagedFields) }
      : items === undefined
        ? {}
        : { items }),
    ...(Array.isArray(rows) ? { rows: rows.map(withoutRow) } : rows === undefined ? {} : { rows }),
  }
}

function withoutOwn(metadata: unknown): unknown {
  if (typeof metadata !== 'object' || metadata === null) return metadata
  const { managedFields: _, ...kept } = metadata as Fields
  return kept
}

function withoutRow(row: unknown): unknown {
  if (typeof row !== 'object' || row === null || !('object' in row)) return row
  return { ...row, object: withoutManagedFields(row.object) }
}
