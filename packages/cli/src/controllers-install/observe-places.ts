import { groupOfApiVersion, versionNameOf } from '@strata/api'
import type { Client, DiscoveredResource, ObjectReference, ResourceClient } from '@strata/client'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import type { InstalledObject } from './decide-objects.ts'

/** An object, and where the cluster serves its kind. */
export interface Place {
  readonly object: InstalledObject
  readonly resources: ResourceClient
  readonly reference: ObjectReference
}

/** Without a kind of the workload nothing can run: that is said before anything is written. */
export async function observePlaces(
  client: Client,
  objects: readonly InstalledObject[],
  signal: AbortSignal,
): Promise<readonly Place[]> {
  const { resources, failures } = await client.discover(signal)
  const served = (object: InstalledObject): DiscoveredResource | undefined =>
    resources.find(
      (each) =>
        each.kind === object.kind &&
        each.group === groupOfApiVersion(object.apiVersion) &&
        each.versionName === versionNameOf(object.apiVersion),
    )
  const missing = objects.filter((each) => served(each) === undefined)
  if (missing.length > 0) {
    const names = missing.map(({ apiVersion, kind }) => `${kind} (${apiVersion})`).join(', ')
    const [failure] = failures
    const why =
      failure === undefined
        ? 'no workload can run in it, as in any cluster without kubelets: run "strata controllers" as a process beside it'
        : `discovery of ${failure.groupVersion} failed: ${failure.why}`
    throw new CliError(`the cluster does not serve ${names}: ${why}`, exitCodes.notSeen)
  }
  return objects.flatMap((object) => {
    const resource = served(object)
    if (resource === undefined) return []
    const { namespace, name } = object.metadata
    return {
      object,
      resources: client.resource(resource),
      reference: { name, ...(namespace === undefined ? {} : { namespace }) },
    }
  })
}
