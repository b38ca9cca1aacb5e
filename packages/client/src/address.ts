import { type ApiObject, apiVersionOf, type ResourceDefinition } from '@strata/api'

/** Where a resource is served, and in which apiVersion. */
export interface ResourceAddress {
  readonly group: string
  /** `v1`, `v1alpha1`: the last part of the apiVersion. */
  readonly versionName: string
  /** The plural, as in the path. */
  readonly resource: string
  /** If it is set, objects may be sent without their own kind. */
  readonly kind?: string
}

export interface ObjectReference {
  /** Left out for cluster-scoped objects. */
  readonly namespace?: string
  readonly name: string
}

/** The address of a known kind. Objects have the shape of that version, which may differ from the hub's. */
export function addressOf<T extends ApiObject>(
  { group, resource, kind }: ResourceDefinition<T>,
  versionName: string,
): ResourceAddress {
  return { group, versionName, resource, kind }
}

/** Encodes each segment by itself: a name with a slash must not reach below another object. */
export function resourcePath(
  { group, versionName, resource }: ResourceAddress,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name?: string },
): string {
  const segments = [
    ...(group === '' ? ['api'] : ['apis', group]),
    versionName,
    ...(namespace === undefined || namespace === '' ? [] : ['namespaces', namespace]),
    resource,
    ...(name === undefined ? [] : [name]),
  ]
  return `/${segments.map(encodeURIComponent).join('/')}`
}

/** The object with the kind and apiVersion of its path. */
export function withKind<T extends ApiObject>(object: T, { group, versionName, kind }: ResourceAddress): T {
  return kind === undefined ? object : { ...object, apiVersion: apiVersionOf(group, versionName), kind }
}
