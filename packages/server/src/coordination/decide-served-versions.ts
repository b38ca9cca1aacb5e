export interface ServedFacts {
  /** What was served by all before; undefined if nobody has said so yet. */
  readonly previous: readonly string[] | undefined
  /** What each server that has reported serves. */
  readonly served: ReadonlyArray<readonly string[]>
  /** Every live server has reported, and as many as were expected. */
  readonly isComplete: boolean
  /** A server has just registered, or none has come or gone for a while. */
  readonly mayGrow: boolean
}

/**
 * The versions that every server serves. A server that has reported counts at once: what it does not serve goes. One that is
 * only starting takes nothing away, for nobody is sent to it yet; but while it has not spoken, nothing comes either. And
 * nothing comes at once because a server has left: two of three servers serve v2, and the third restarts with its old
 * release; v2 would come when its Lease goes, and go again when it is back.
 */
export function decideServedVersions({
  previous,
  served,
  isComplete,
  mayGrow,
}: ServedFacts): readonly string[] {
  const [first, ...others] = served
  // Nobody serves anything: whoever comes next begins where the last one stopped.
  if (!first) return previous ?? []
  const byAll = [...new Set(first)].filter((each) => others.every((list) => list.includes(each))).sort()
  if ((isComplete && mayGrow) || previous === undefined) return byAll
  const kept = byAll.filter((each) => previous.includes(each))
  // After a full stop another release may have nothing in common with the last one. To serve nothing helps nobody.
  return kept.length > 0 ? kept : byAll
}
