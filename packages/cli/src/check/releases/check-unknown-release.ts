import { loadReleaseTable, minorOf, releaseName } from '@strata/api/kubernetes-releases'
import { type Client, isRequestFailure, type ServerVersion } from '@strata/client'
import type { KubernetesPath } from './kubernetes-path.ts'
import { assumptionsOf, unknownReleaseOf } from './release-assumptions.ts'

/** A name such as `latest` is no release of Kubernetes. Undefined for other servers, which have names of their own. */
export async function describeUnknownRelease(
  client: Client,
  release: string,
  signal: AbortSignal,
): Promise<KubernetesPath | undefined> {
  const version: ServerVersion = await client.version(signal).catch((error: unknown) => {
    if (signal.aborted || !isRequestFailure(error)) throw error
    return {}
  })
  const { gitVersion: serverVersion = '' } = version
  const from = minorOf(serverVersion)
  if (from === undefined) return undefined
  const table = await loadReleaseTable()
  return {
    ...{ serverVersion, from: releaseName(from), to: release, repository: table.repository },
    ...{ assumptions: assumptionsOf(version, from), steps: [], noReturns: [], leftBehind: [] },
    unknownRelease: unknownReleaseOf(table, release),
  }
}
