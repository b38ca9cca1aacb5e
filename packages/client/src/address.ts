import { type ApiObject, apiVersionOf, type ResourceDefinition } from '@strata/api'

/** Where a resource is served, and in which apiVersion. */
export interface ResourceAddress {
  readonly group: string
  /** `v1`, `v1alpha1`: the last part of the apiVersion. */
  readonly versionName: string
  /** The plural, as in the path. */
  readonly resource: string
  /** When it is known, objects that are sent need not name their own kind. */
  readonly kind?: string
}

export interface ObjectReference {
  /** Left out for cluster-scoped objects. */
  readonly namespace?: string
  readonly name: string
}

/** The address of a kind we know. Objects have the shape of that version, which may not be the hub's. */
export function addressOf<T extends ApiObject>(
  { group, resource, kind }: ResourceDefinition<T>,
  versionName: string,
): ResourceAddress {
  return { group, versionName, resource, kind }
}

/** Segments are encoded each on its own: a name with a slash must not reach below another object. */
export function resourcePath(
  { group, versionName, resource }: ResourceAddress,
  { namespace, name }: Partial<ObjectReference>,
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

/** The object with the kind and apiVersion that its path takes. */
export function withKind<T extends ApiObject>(object: T, { group, versionName, kind }: ResourceAddress): T {
  return kind === undefined ? object : { ...object, apiVersion: apiVersionOf(group, versionName), kind }
}
