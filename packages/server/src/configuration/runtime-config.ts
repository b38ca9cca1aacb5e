import { adviseOnKeys, sayTrueOrFalse, thereAre } from './runtime-config-advice.ts'

/** A group and version of this program, in any release, with its resources. */
export interface KnownApi {
  readonly group: string
  readonly versionName: string
  readonly resource: string
}

/** Whether a built-in resource is served. Custom resources are served as their CRDs say. */
export type IsServed = (group: string, versionName: string, resource: string) => boolean

/** Sets of versions. A later one overrides an earlier one, as upstream. */
const sets: ReadonlyArray<readonly [key: string, matches: RegExp]> = [
  ['api/all', /^/],
  ['api/ga', /^v\d+$/],
  ['api/beta', /^v\d+beta\d+$/],
  ['api/alpha', /^v\d+alpha\d+$/],
]
const setNames = sets.map(([name]) => name)
const isSet = (key: string): boolean => setNames.includes(key)

/** As Go's strconv.ParseBool. An empty value is true, as upstream. */
const booleans: ReadonlyMap<string, boolean> = new Map([
  ...['', '1', 't', 'T', 'TRUE', 'true', 'True'].map((word) => [word, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((word) => [word, false] as const),
])

interface Preference {
  readonly group: string
  readonly versionName: string
  /** Undefined for the whole version. */
  readonly resource: string | undefined
  readonly isOn: boolean
}

/**
 * Parses `--runtime-config` by upstream's rules and with its messages, followed by what is available. The order is
 * `api/all`, then `api/ga`, `api/beta` and `api/alpha`, then `group/version`, then `group/version/resource`. The core group
 * is written as in upstream: `/v1`.
 */
export function parseRuntimeConfig(
  text: string,
  known: readonly KnownApi[],
): { readonly isServed: IsServed } | { readonly problem: string } {
  const pairs = readPairs(text)
  const problem = findKeyProblem(pairs, known) ?? findSetProblem(pairs)
  if (problem !== undefined) return { problem }

  const preferences: Preference[] = []
  for (const [key, value] of pairs) {
    if (isSet(key)) continue
    const read = readPreference(key, value, known)
    if ('problem' in read) return read
    preferences.push(read)
  }
  return { isServed: servedBy(pairs, preferences) }
}

function servedBy(pairs: ReadonlyMap<string, string>, preferences: readonly Preference[]): IsServed {
  return (group, versionName, resource) => {
    const ofVersion = preferences.filter((each) => each.group === group && each.versionName === versionName)
    const exact =
      ofVersion.find((each) => each.resource === resource) ??
      ofVersion.find((each) => each.resource === undefined)
    if (exact) return exact.isOn
    const last = sets.findLast(([key, matches]) => pairs.has(key) && matches.test(versionName))
    return last === undefined || pairs.get(last[0]) === 'true'
  }
}

/** If a key is repeated, the last value counts. */
function readPairs(text: string): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>()
  for (const each of text.split(',')) {
    if (each === '') continue
    const equals = each.indexOf('=')
    if (equals < 0) pairs.set(each.trim(), '')
    else pairs.set(each.slice(0, equals).trim(), each.slice(equals + 1).trim())
  }
  return pairs
}

function findKeyProblem(pairs: ReadonlyMap<string, string>, known: readonly KnownApi[]): string | undefined {
  if (pairs.size === 1 && pairs.get('api/all') === 'false') {
    return 'invalid runtime-config with only api/all=false'
  }
  const unknown = new Map<string, string>()
  for (const key of pairs.keys()) {
    if (isSet(key)) continue
    const parts = key.split('/')
    if (parts.length !== 2 && parts.length !== 3) {
      return `runtime-config invalid key ${key}; ${adviseOnKeys([key], setNames, known)}`
    }
    const [group = '', versionName = ''] = parts
    if (!known.some((each) => each.group === group)) unknown.set(`${group}/${versionName}`, key)
  }
  if (unknown.size === 0) return undefined
  const advice = adviseOnKeys([...unknown.values()], setNames, known)
  return `unknown api groups ${[...unknown.keys()].sort().join(',')}; ${advice}`
}

function findSetProblem(pairs: ReadonlyMap<string, string>): string | undefined {
  for (const [key] of sets) {
    const value = pairs.get(key)
    if (value !== undefined && value !== 'true' && value !== 'false') {
      return `invalid value ${key}=${value}; ${sayTrueOrFalse}`
    }
  }
  return undefined
}

function readPreference(
  key: string,
  value: string,
  known: readonly KnownApi[],
): Preference | { readonly problem: string } {
  const [group = '', versionName = '', resource] = key.split('/')
  const ofVersion = known.filter((each) => each.group === group && each.versionName === versionName)
  if (ofVersion.length === 0) {
    const groupVersion = group === '' ? versionName : `${group}/${versionName}`
    const there = thereAre(known.filter((each) => each.group === group))
    return { problem: `group version ${groupVersion} that has not been registered; ${there}` }
  }
  const isOn = booleans.get(value)
  if (isOn === undefined) {
    // Upstream appends Go's own parse error here.
    return { problem: `invalid value of ${key}: ${value}; ${sayTrueOrFalse}` }
  }
  if (resource !== undefined && resource !== resource.toLowerCase()) {
    const why = 'group/version/resource and resource is always lowercase plural'
    return { problem: `invalid key ${key}: ${why}, not ${JSON.stringify(resource)}` }
  }
  // Upstream accepts any name here, so that a misspelt one has no effect.
  if (resource !== undefined && !ofVersion.some((each) => each.resource === resource)) {
    const there = [...new Set(ofVersion.map((each) => each.resource))].sort().join(', ')
    return { problem: `unknown resource ${key}; there are: ${there}` }
  }
  return { group, versionName, resource, isOn }
}
