import { loadReleaseTable, minorOf, type ReleaseTable, releaseName } from '@strata/api/kubernetes-releases'
import { knownApis, type VersionInfo, versionInfoOf } from '@strata/server'

export interface ReleaseView {
  readonly version: VersionInfo
  readonly runtimeConfig: string
}

/** A server that looks like that Kubernetes release: its version, and of the built-in versions those that it serves by default. */
export async function viewOfRelease(release: string): Promise<ReleaseView> {
  const table = await loadReleaseTable()
  const minor = minorOf(release)
  const tag = minor === undefined ? undefined : table.tagOf(minor)
  if (minor === undefined || tag === undefined) {
    throw new RangeError(
      `kubernetesVersion ${JSON.stringify(release)} is not known: give ${releaseName(table.first)} to ${releaseName(table.last)}`,
    )
  }
  return { version: versionInfoOf(minor, tag), runtimeConfig: runtimeConfigOf(table, minor) }
}

/** Turns off each version of a Kubernetes kind that the release does not have. Kinds of Strata stay. */
function runtimeConfigOf(table: ReleaseTable, minor: number): string {
  return knownApis([])
    .filter(({ group, versionName, resource }) => {
      const name = group === '' ? resource : `${resource}.${group}`
      if (table.kindOf(name) === undefined) return false
      const facts = table.factsOf(name, minor)
      const apiVersion = group === '' ? versionName : `${group}/${versionName}`
      return ![...(facts?.served ?? []), ...(facts?.optional ?? [])].includes(apiVersion)
    })
    .map(({ group, versionName, resource }) => `${group}/${versionName}/${resource}=false`)
    .join(',')
}
