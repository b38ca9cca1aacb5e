import type { KnownApi } from './runtime-config.ts'

export const sayTrueOrFalse = 'say true or false'

/** The groups and versions that can be named, in the form of the flag. */
export function thereAre(known: readonly KnownApi[]): string {
  const names = new Set(known.map(({ group, versionName }) => `${group}/${versionName}`))
  return `there are: ${[...names].sort().join(', ')}`
}

/** Suggests keys for unknown ones. Without a good guess, lists all keys. */
export function adviseOnKeys(
  keys: readonly string[],
  setNames: readonly string[],
  known: readonly KnownApi[],
): string {
  const names = new Set([
    ...setNames,
    ...known.flatMap(({ group, versionName, resource }) => [
      `${group}/${versionName}`,
      `${group}/${versionName}/${resource}`,
    ]),
  ])
  const meant = keys.flatMap((key) => meantBy(key, [...names]) ?? [])
  if (meant.length === keys.length) return `did you mean ${meant.join(', ')}?`
  return `there are: ${setNames.join(', ')}, ${thereAre(known).slice('there are: '.length)}`
}

/** The keys of the core group begin with a slash, which is easily forgotten. */
function meantBy(key: string, names: readonly string[]): string | undefined {
  if (names.includes(`/${key}`)) return `/${key}`
  return names.find((name) => isNear(key, name))
}

/** One letter added, missing or different, or two letters exchanged. */
function isNear(a: string, b: string): boolean {
  let head = 0
  while (head < a.length && a[head] === b[head]) head++
  let tail = 0
  while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++
  const left = a.slice(head, a.length - tail)
  const right = b.slice(head, b.length - tail)
  if (left.length <= 1 && right.length <= 1) return true
  return left.length === 2 && right.length === 2 && left === [...right].reverse().join('')
}
