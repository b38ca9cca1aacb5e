/** A resource in a group, without saying in which apiVersion. */
export interface GroupResource {
  readonly group: string
  readonly resource: string
}

/** `pods`, `deployments.apps`: how messages for people name a resource. */
export function groupResourceText({ group, resource }: GroupResource): string {
  return group === '' ? resource : `${resource}.${group}`
}

/** `v1`, `apps/v1`: what stands in an object's `apiVersion`. */
export function apiVersionOf(group: string, apiVersionName: string): string {
  return group === '' ? apiVersionName : `${group}/${apiVersionName}`
}

/** `core.pods`, `apps.deployments`: the name of a resource's agreement record and StorageVersion. */
export function agreementName({ group, resource }: GroupResource): string {
  return `${group === '' ? 'core' : group}.${resource}`
}

/** `core.pods`, `apps.deployments`: of the last part the resource, of the rest the group. No resource has a dot in its name. */
export function agreementResource(name: string): GroupResource {
  const place = name.lastIndexOf('.')
  const group = name.slice(0, place)
  return { group: group === 'core' ? '' : group, resource: name.slice(place + 1) }
}

/** The last part of `v1` or `apps/v1`. */
export function versionNameOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf('/') + 1)
}

/** The group of `apps/v1`; '' for `v1`. */
export function groupOfApiVersion(apiVersion: string): string {
  const slash = apiVersion.indexOf('/')
  return slash < 0 ? '' : apiVersion.slice(0, slash)
}
