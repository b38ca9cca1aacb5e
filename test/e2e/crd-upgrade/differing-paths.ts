import { isDeepStrictEqual } from 'node:util'

const isMap = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** Where two values differ, as `--accept-loss` names it: the topmost field that only one has, `[*]` for any position in a list. */
export function differingPaths(one: unknown, other: unknown, path = ''): readonly string[] {
  if (isMap(one) && isMap(other)) {
    const fields = new Set([...Object.keys(one), ...Object.keys(other)])
    return unique(
      [...fields].flatMap((field) => {
        const at = path === '' ? field : `${path}.${field}`
        return field in one && field in other ? differingPaths(one[field], other[field], at) : [at]
      }),
    )
  }
  if (Array.isArray(one) && Array.isArray(other) && one.length === other.length) {
    return unique(one.flatMap((each, index) => differingPaths(each, other[index], `${path}[*]`)))
  }
  return isDeepStrictEqual(one, other) ? [] : [path]
}

const unique = (paths: readonly string[]): readonly string[] => [...new Set(paths)].sort()
