import { apiVersionOf, type GroupResource, groupResourceText, storageVersionHash } from '@strata/api'
import type { ReleaseTable } from '@strata/api/kubernetes-releases'
import { releaseName } from '@strata/api/kubernetes-releases'
import type { DiscoveredResource } from '@strata/client'
import type { Evidence } from '../migration/evidence/decide-evidence.ts'
import type { DefinitionFacts } from '../stored/definition-facts.ts'
import { type ResourceFacts, storageSources, versionText } from './resource-facts.ts'

/** The release of Kubernetes that the cluster runs, if the table of releases has it. */
export interface KnownRelease {
  readonly table: Pick<ReleaseTable, 'factsOf'>
  readonly minor: number
}

/**
 * The version that is written. A hash names none, but each version that is served, or that the release can decode, has one.
 * Without a hash, a built-in resource is written as the release does by default.
 */
export function storageOf(
  { group, resource, kind }: Pick<DiscoveredResource, 'group' | 'resource' | 'kind'>,
  definition: DefinitionFacts | undefined,
  target: Pick<NonNullable<Evidence['target']>, 'how' | 'encodingVersion' | 'hash'> | undefined,
  discovered: ReadonlyArray<GroupResource & { readonly versionName: string }>,
  release: KnownRelease | undefined,
): ResourceFacts['storage'] {
  const source = target ? storageSources[target.how] : ''
  if (target?.encodingVersion !== undefined)
    return { version: versionText(target.encodingVersion, group), source }
  const written = definition?.versions.find((each) => each.storage)
  if (written) return { version: written.name, source: storageSources.definition }
  const known = release?.table.factsOf(groupResourceText({ group, resource }), release.minor)
  if (target?.hash !== undefined) {
    const hashed = [
      ...discovered
        .filter((each) => each.resource === resource)
        .map((each) => apiVersionOf(each.group, each.versionName)),
      ...(known?.decodable ?? []),
    ].find((apiVersion) => storageVersionHash(apiVersion, kind) === target.hash)
    return hashed === undefined ? undefined : { version: versionText(hashed, group), source }
  }
  if (definition || release === undefined || known?.stored === undefined) return undefined
  return {
    version: versionText(known.stored, group),
    source: `${storageSources.release} ${releaseName(release.minor)}`,
  }
}
