import { isJsonObject, type JsonObject } from '@strata/api'

/** Values, not only their types, must be the same under these names: a client decides by them what to do. */
const decisive = ['kind', 'apiVersion', 'reason', 'status', 'code', 'type']

/**
 * Objects whose fields are named by data (kinds, paths, media types): what both sides have is compared, and they need
 * not have the same.
 */
const dictionaries = /\.(?:content|paths|schemas|definitions|properties|securityDefinitions)$/

export interface Comparison {
  /** False where the recording is only the beginning. */
  readonly isWhole: boolean
  /** Whether an item must be on both sides. */
  readonly isNeeded: (item: unknown) => boolean
}

/**
 * How the shape of an answer differs from the recorded one: fields that are missing or too many, and values of another
 * type. Lists are compared item by item where items have names; the recorded server also held what others had made, so
 * that only those must be there that are needed.
 */
export function shapeDifferences(
  recorded: unknown,
  live: unknown,
  comparison: Comparison,
  path = '$',
): readonly string[] {
  const want = typeName(recorded)
  const got = typeName(live)
  // Null says as little as nothing at all.
  if (want === 'null') return []
  if (want !== got) return [`${path}: ${want} recorded, ${got} found`]
  if (Array.isArray(recorded)) return listDifferences(recorded, live as unknown[], comparison, path)
  if (!isJsonObject(recorded)) return []
  return objectDifferences(recorded, live as JsonObject, comparison, path)
}

function objectDifferences(
  recordedFields: JsonObject,
  liveFields: JsonObject,
  comparison: Comparison,
  path: string,
): readonly string[] {
  const recorded = withoutUids(recordedFields)
  const live = withoutUids(liveFields)
  const isDictionary = dictionaries.test(path) || path === '$.paths'
  const differences: string[] = []
  for (const [field, value] of Object.entries(recorded)) {
    const there = `${path}.${field}`
    if (!Object.hasOwn(live, field)) {
      if (!isDictionary && value !== null) differences.push(`${there}: missing`)
      continue
    }
    differences.push(...shapeDifferences(value, live[field], comparison, there))
    const isText = typeof value === 'string' || typeof value === 'number'
    if (isText && decisive.includes(field) && live[field] !== value && !isDictionary) {
      differences.push(`${there}: ${JSON.stringify(value)} recorded, ${JSON.stringify(live[field])} found`)
    }
  }
  if (comparison.isWhole && !isDictionary) {
    for (const [field, value] of Object.entries(live)) {
      if (value !== null && !Object.hasOwn(recorded, field))
        differences.push(`${path}.${field}: not recorded`)
    }
  }
  return differences
}

/** Owned fields are named after the uids of owners. */
const withoutUids = (fields: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [field.replace(/"uid":"[^"]*"/, '"uid":…'), value]),
  )

function listDifferences(
  recorded: readonly unknown[],
  live: readonly unknown[],
  { isWhole, isNeeded }: Comparison,
  path: string,
): readonly string[] {
  if (recorded.length === 0) return []
  if (live.length === 0) return [`${path}: empty`]
  const named = new Map(live.map((each) => [nameOf(each), each]))
  return recorded.flatMap((each, index) => {
    const name = nameOf(each)
    const other = name === undefined ? live[Math.min(index, live.length - 1)] : named.get(name)
    const label = name ?? String(index)
    if (other === undefined) return isNeeded(each) ? [`${path}[${label}]: missing`] : []
    // The last item of a recording that was cut off may lack its end.
    const ofItem = { isWhole: isWhole || index < recorded.length - 1, isNeeded }
    return shapeDifferences(each, other, ofItem, `${path}[${label}]`)
  })
}

/** The key of an item in a list. */
export function nameOf(item: unknown): string | undefined {
  if (!isJsonObject(item)) return undefined
  const metadata = item['metadata']
  const inner = isJsonObject(item['object']) ? nameOf(item['object']) : undefined
  const name = isJsonObject(metadata) ? metadata['name'] : undefined
  const own =
    name ?? inner ?? managerOf(item) ?? item['name'] ?? item['resource'] ?? item['version'] ?? item['type']
  return typeof own === 'string' ? own : undefined
}

/** One manager may own fields by several ways of writing. */
function managerOf({ manager, operation, subresource }: JsonObject): string | undefined {
  return typeof manager === 'string' && operation !== undefined
    ? [manager, operation, ...(subresource === undefined ? [] : [subresource])].join(' ')
    : undefined
}

function typeName(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  return Array.isArray(value) ? 'list' : typeof value
}
