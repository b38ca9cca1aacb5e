import { cannotDecodePhrase, decideRemedy, migrateCommand, remedyText } from '@strata/api'

export interface Undecodable {
  /** `beacons.lighthouse.example.dev` */
  readonly resource: string
  readonly release: string
  /** The number of objects by version. */
  readonly counts: ReadonlyMap<string, number>
  /** The number of objects that cannot be decrypted, so their version is unknown, by the beginning of their bytes. */
  readonly sealed: ReadonlyMap<string, number>
  readonly decodable: readonly string[]
}

/** Why a resource is not served, and the remedy: for clients and for the log. */
export function undecodableText({ resource, release, counts, sealed, decodable }: Undecodable): string {
  const objects = (count: number): string => `${count} ${count === 1 ? 'object' : 'objects'}`
  const stored = inOrder(counts).map(
    ([version, count]) => `${objects(count)} ${count === 1 ? 'is' : 'are'} stored as ${version}`,
  )
  const closed = inOrder(sealed).map(([seal, count]) => `${objects(count)} under ${seal}`)
  const can = `(it decodes ${decodable.join(', ')})`
  const why = [
    ...(stored.length > 0
      ? [`${stored.join(', ')}, which release ${release} ${cannotDecodePhrase} ${can}`]
      : []),
    ...(closed.length > 0
      ? [
          `${closed.join(', ')} cannot be decrypted for now, and may be in a version that release ${release} does not decode`,
        ]
      : []),
  ]
  // The versions that other servers write are unknown here: this server may be alone, or the last one of an upgrade.
  const remedy = decideRemedy({ stored: [...counts.keys()], decodable })
  const first =
    stored.length > 0
      ? `${remedyText(remedy, migrateCommand(resource))}; this server then serves it without a restart`
      : 'this server serves it again as soon as their KMS answers or their key is configured; no restart is needed'
  return [
    `${resource} is not served by this server: ${why.join('; ')}`,
    first,
    `to serve what can be read now, start it with --allow-undecodable-storage=${resource}`,
  ].join('; ')
}

function inOrder(counts: ReadonlyMap<string, number>): [string, number][] {
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
}
