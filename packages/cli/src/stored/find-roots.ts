/** Strange places are counted, and not all of them are named. */
export const mostRoots = 20

/** `/registry` of `/registry/pods/a/b`. */
export const rootOf = (key: string): string => firstPart.exec(key)?.[0] ?? ''

const firstPart = /^\/?[^/]*/

/** The first parts of all keys. `next` names the first key after another one: what is below a part is skipped. */
export async function findRoots(
  next: (after: string | undefined) => Promise<string | undefined>,
): Promise<readonly string[]> {
  const roots = new Set<string>()
  for (let after: string | undefined; roots.size < mostRoots; ) {
    const key = await next(after)
    if (key === undefined) break
    const root = rootOf(key)
    roots.add(root)
    after = key === root ? key : `${root}/\u{10ffff}`
  }
  return [...roots]
}
