import { ApiError } from '@strata/api'
import { clearTextSeal, DamagedObject, resourcePrefix, UndecodableObject } from '../../codec/index.ts'
import type { Entry, Key } from '../../store/index.ts'
import { collectionOf, type Registry } from '../registry.ts'
import type { ServedResource } from '../served/served-api.ts'
import type { Selection } from './selection.ts'

const namedAtMost = 5

/**
 * A list with an object that cannot be decoded is refused: leaving the object out would report it as absent. The error names all
 * such objects, up to a limit, so that an operator need not find them one by one.
 */
export async function reportUndecodable<T>(
  registry: Registry,
  resource: ServedResource,
  { scope }: Selection,
  list: () => T | Promise<T>,
): Promise<T> {
  try {
    return await list()
  } catch (error) {
    if (!(error instanceof UndecodableObject)) throw error
    const collection = collectionOf(registry, resource)
    const single = scope.endsWith('/') ? undefined : collection.get(scope)
    const range = collection.range(scope)
    const entries = Array.from({ length: range.count }, (_, index) => range.at(index))
    throw undecodable(resource, single ? [single] : entries) ?? error
  }
}

/** Undefined if all of them can be decoded. */
function undecodable(
  { definition, codec }: Pick<ServedResource, 'definition' | 'codec'>,
  entries: readonly Pick<Entry, 'key' | 'value'>[],
): ApiError | undefined {
  const repairs = new Set<string>()
  const names: string[] = []
  for (const { key, value } of entries) {
    const problem = problemOf(codec, value)
    if (!problem) continue
    repairs.add(problem.repair)
    names.push(`${nameIn(resourcePrefix(definition), key)} (${storedAs(problem)})`)
  }
  if (names.length === 0) return undefined
  const more = names.length - namedAtMost
  const named = names.slice(0, namedAtMost).join(', ') + (more > 0 ? `, and ${more} more` : '')
  const about = `${definition.resource}${definition.group === '' ? '' : `.${definition.group}`}`
  const count = `${names.length} of ${entries.length} objects of ${about} cannot be decoded`
  const others = names.length < entries.length ? '; until then the others can be read by their names' : ''
  return new ApiError(500, 'StorageReadError', `${count}: ${named}; ${[...repairs].join('; ')}${others}`)
}

function problemOf(codec: ServedResource['codec'], value: Uint8Array): UndecodableObject | undefined {
  try {
    codec.decode(value)
    return undefined
  } catch (error) {
    if (error instanceof UndecodableObject) return error
    throw error
  }
}

function storedAs(problem: UndecodableObject): string {
  if (problem instanceof DamagedObject) return 'damaged'
  return problem.storedVersion === clearTextSeal
    ? 'stored in clear text'
    : `stored as ${problem.storedVersion}`
}

const nameIn = (prefix: string, key: Key): string => JSON.stringify(key.slice(prefix.length))
