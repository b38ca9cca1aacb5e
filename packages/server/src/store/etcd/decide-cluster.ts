/**
 * Pure: what an endpoint is that says it belongs to cluster `id`, where `known` is the cluster that we use and `others` is
 * what the other endpoints said when they were last connected to; undefined for one that cannot be connected to.
 *
 * - `replaced`: every endpoint says the same other id, as after a restore from a backup under a new cluster token.
 * - `foreign`: some do not, or cannot be asked. Then this endpoint may be of another cluster by mistake, and must not be
 *   used: what is written to it would be in the wrong store.
 */
export function decideCluster(
  known: number | undefined,
  id: number,
  others: readonly (number | undefined)[],
): 'known' | 'foreign' | 'replaced' {
  if (known === undefined || id === known) return 'known'
  return others.every((each) => each === id) ? 'replaced' : 'foreign'
}
