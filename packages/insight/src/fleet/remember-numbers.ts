/** The number in S1, S2, … of each of these servers, in their order. */
export type NumberServers = (
  servers: readonly { readonly serverID: string; readonly instance: string | undefined }[],
) => readonly number[]

export const numberInOrder: NumberServers = (servers) => servers.map((_, index) => index + 1)

/**
 * For a program that describes the same fleet again and again: an instance keeps the number that it got at first sight. While
 * S2 restarts, S3 is not called S2.
 */
export function rememberNumbers(): NumberServers {
  const known = new Map<string, number>()
  let last = 0
  return (servers) => {
    const taken = new Set<number>()
    return servers.map(({ serverID, instance }) => {
      const keys = [...(instance === undefined ? [] : [`instance ${instance}`]), `id ${serverID}`]
      // The entries of a server may outlive it, beside its successor of the same instance.
      const before = keys.flatMap((key) => known.get(key) ?? []).find((number) => !taken.has(number))
      const number = before ?? ++last
      taken.add(number)
      for (const key of keys) known.set(key, number)
      return number
    })
  }
}
