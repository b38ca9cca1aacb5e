/** A revision of a Helm release, by the labels of the object that holds it. */
export interface HelmRevision {
  readonly namespace: string
  /** Of the object. */
  readonly name: string
  readonly release: string
  readonly revision: number
  /** `deployed`, `superseded`, `failed`, `pending-upgrade`, … */
  readonly status: string
}

/** `inUse`: the next `helm upgrade` starts from it. Otherwise only a rollback would apply it. */
export interface JudgedRevision extends HelmRevision {
  readonly inUse: boolean
}

/** Those that hold nothing which is in the cluster. */
const over: ReadonlySet<string> = new Set(['superseded', 'uninstalled'])

/**
 * Which revisions are in use: the deployed one, and what failed or is pending after it. Helm compares the next upgrade with these.
 * A revision that failed before the deployed one is history.
 */
export function decideRevisions(revisions: readonly HelmRevision[]): readonly JudgedRevision[] {
  const byRelease = Map.groupBy(revisions, ({ namespace, release }) => `${namespace}/${release}`)
  return [...byRelease.values()].flatMap((all) => {
    const deployed = all.filter(({ status }) => status === 'deployed').map(({ revision }) => revision)
    const from = Math.max(0, ...deployed)
    return all.map((each) => ({ ...each, inUse: !over.has(each.status) && each.revision >= from }))
  })
}

/** `shop/web (revision 3)`, `shop/web (revision 4, pending-upgrade)`. */
export function revisionText({ namespace, release, revision, status }: HelmRevision): string {
  const more = status === 'deployed' ? '' : `, ${status}`
  return `${namespace}/${release} (revision ${revision}${more})`
}
