export interface Undecodable {
  /** `beacons.lighthouse.example.dev` */
  readonly resource: string
  readonly release: string
  /** By version, how many objects. */
  readonly counts: ReadonlyMap<string, number>
  readonly decodable: readonly string[]
}

/** Why a resource is not served, and what ends that: for whoever asks for it, and for the log. */
export function undecodableText({ resource, release, counts, decodable }: Undecodable): string {
  const stored = [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([version, count]) => `${count} ${count === 1 ? 'object is' : 'objects are'} stored as ${version}`)
  return [
    `${resource} is not served by this server: ${stored.join(', ')}, which release ${release} cannot decode (it decodes ${decodable.join(', ')})`,
    `start a release that decodes all of them, let it migrate ("strata migrate ${resource}"), and this server serves it without being started again`,
    `to serve what can be read now, start it with --allow-undecodable-storage=${resource}`,
  ].join('; ')
}
