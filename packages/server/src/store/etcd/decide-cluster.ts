/**
 * Pure: classifies an endpoint that says it belongs to cluster `id`. `known` is the cluster in use; `others` are the ids of the
 * other endpoints at their last connection, undefined for one that cannot be reached.
 *
 * - `replaced`: every endpoint says the same other id, as after a restore from a backup under a new cluster token.
 * - `foreign`: some do not, or cannot be reached. This endpoint may belong to another cluster by mistake and must not be used: a
 *   write to it would go to the wrong store.
 */
export function decideCluster(
  known: number | undefined,
  id: number,
  others: readonly (number | undefined)[],
): 'known' | 'foreign' | 'replaced' {
  if (known === undefined || id === known) return 'known'
  return others.every((each) => each === id) ? 'replaced' : 'foreign'
}
