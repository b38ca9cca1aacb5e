/** Why a server that votes refuses writes of a resource, and what to do about it (rule 12; seed 000, "Risks"). */
export function refusalText(selectedVersion: string, encodableVersions: readonly string[]): string {
  const own = encodableVersions.join(', ')
  return `${selectedVersion} is selected, and this release can write only ${own}: start a release here that can write both, or bring all other servers to one that prefers ${own}`
}
