/** A kind or group version whose objects the collector does not see. */
export interface Unseen {
  readonly name: string
  /**
   * `syncing`: its first list is under way. `away`: its server does not answer, such as the backend of an APIService, or its
   * lists have failed for long.
   */
  readonly state: 'syncing' | 'away'
}

/**
 * How long the first list may take before its kind counts as away. Two lists that take as long as an informer lets them: a kind
 * that is only large is waited for.
 */
const syncingMs = 120_000

/** What a kind is, whose first list has not succeeded for so long. */
export const stateOfUnsynced = (forMs: number): Unseen['state'] => (forMs < syncingMs ? 'syncing' : 'away')

export type CompleteDecision =
  | { readonly do: 'proceed'; readonly despite: readonly string[] }
  | { readonly do: 'wait'; readonly for: readonly string[] }

/**
 * Whether an owner that is being deleted may be released, as far as unseen dependents are concerned. A is the owner; D, in an
 * unseen kind, has A as its only owner.
 *
 * `dependents` (foreground): (1) the collector releases A; (2) A is gone before D; (3) the kind of D is back, the collector
 * finds that the owner of D is absent, and deletes D. Only the order differs from what the user asked for. The alternative is
 * that one backend that is away holds the deletions of every kind.
 *
 * `orphans`: the same steps delete D, although the user asked to keep it. So the collector waits for every kind.
 *
 * Background deletions wait for nothing: A is gone at once, and step 3 is all there is. Upstream waits in no case, and step 3
 * deletes orphans.
 */
export function decideComplete(
  waitsFor: 'orphans' | 'dependents',
  unseen: readonly Unseen[],
): CompleteDecision {
  const blocking = waitsFor === 'orphans' ? unseen : unseen.filter(({ state }) => state === 'syncing')
  const names = (some: readonly Unseen[]): readonly string[] => some.map(({ name }) => name)
  return blocking.length > 0
    ? { do: 'wait', for: names(blocking) }
    : { do: 'proceed', despite: names(unseen) }
}
