import type { Reason } from '@strata/rehearsal'

/** One line for the same field of several objects. The document has each by itself. */
export function foldReasons(reasons: readonly Reason[]): readonly Pick<Reason, 'message' | 'fix'>[] {
  const groups = Map.groupBy(reasons, ({ rule, resource, path, object }, index) =>
    object === undefined || path === undefined ? String(index) : `${rule} ${resource} ${anywhere(path)}`,
  )
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (!first) return []
    const objects = new Set(others.map(({ object }) => object))
    objects.delete(first.object)
    if (objects.size === 0) return [first]
    return [{ ...first, message: `${first.message} (and ${objects.size} more of ${first.resource})` }]
  })
}

/** `spec.rules[0].port` and `spec.rules[1].port` are the same field. */
const anywhere = (path: string): string => path.replaceAll(/\[\d+\]/g, '[*]')
