import { type GroupResource, groupResourceText } from '@strata/api'

export { isUndecodable } from '@strata/controllers'

/** kube-apiserver says this of a stored object whose version is no longer in its CRD. */
const notInCrd = /convert CR from an invalid group\/version: ([\w.-]+\/\w+)/

/** The version of a stored object that the CRD no longer has, if a server's message names one: `ex.dev/v1`. */
export const lostVersionOf = (message: string): string | undefined => notInCrd.exec(message)?.[1]

/** How objects become readable again that are stored in a version which their CRD no longer has. */
export function wayBack(apiVersion: string, resource: GroupResource | string): string {
  const name = typeof resource === 'string' ? resource : groupResourceText(resource)
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1)
  return `add ${version} back to the CRD ${name} with "served: false" and its conversion (apply the CRD from before, or strata crd upgrade --back), then strata migrate ${name}; or see and delete single objects: strata repair ${name} --etcd-servers ENDPOINTS`
}
