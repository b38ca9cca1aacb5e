/** Why a server that votes refuses writes of a resource, and what to do about it (rule 12). */
export function refusalText(selectedVersion: string, encodableVersions: readonly string[]): string {
  const own = encodableVersions.join(', ')
  return `${selectedVersion} is selected, and this release can write only ${own}: start a release here that can write ${selectedVersion}, or bring all other servers to one that prefers ${own}`
}

/** How many resources are named per reason; the log has all of them. */
const namedAtMost = 5

/** Lists refused resources by reason: a missing key concerns every resource that it encrypts. */
export function refusalsText(
  refusals: readonly { readonly resource: string; readonly why: string }[],
): string[] {
  const byReason = Map.groupBy(refusals, ({ why }) => why)
  return [...byReason].map(([why, those]) => {
    const names = those.slice(0, namedAtMost).map(({ resource }) => resource)
    const more = those.length > namedAtMost ? ` and ${those.length - namedAtMost} more` : ''
    return `${names.join(', ')}${more}: ${why}`
  })
}
