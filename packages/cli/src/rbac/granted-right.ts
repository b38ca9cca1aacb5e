import type { GroupResource } from '@strata/api'

/** One verb on one resource, as a rule of a role grants it. */
export interface GrantedRight extends GroupResource {
  readonly verb: string
  readonly subresource?: string | undefined
  /** A path that is no resource, such as `/metrics`. Group and resource are empty then. */
  readonly url?: string | undefined
  /** Default: objects of any name. */
  readonly name?: string | undefined
  /** Default: all namespaces. */
  readonly namespace?: string | undefined
}

/** Each right once, without those that another one includes. */
export function withoutCovered(rights: readonly GrantedRight[]): readonly GrantedRight[] {
  const different = [...new Map(rights.map((each) => [keyOf(each), each])).values()]
  return different.filter((each) => !different.some((other) => other !== each && covers(other, each)))
}

/** Whether `wide` includes `narrow`. As RBAC reads rules: the resource * includes every subresource. */
function covers(wide: GrantedRight, narrow: GrantedRight): boolean {
  const isSame =
    wide.resource === '*' || (wide.resource === narrow.resource && wide.subresource === narrow.subresource)
  return (
    wide.verb === narrow.verb &&
    wide.url === narrow.url &&
    (wide.group === '*' || wide.group === narrow.group) &&
    isSame &&
    (wide.name === undefined || wide.name === narrow.name) &&
    (wide.namespace === undefined || wide.namespace === narrow.namespace)
  )
}

const keyOf = ({ verb, group, resource, subresource, name, namespace, url }: GrantedRight): string =>
  JSON.stringify([verb, group, resource, subresource, name, namespace, url])
