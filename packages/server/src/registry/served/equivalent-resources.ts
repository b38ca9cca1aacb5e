import type { Codec } from '../../codec/index.ts'
import type { ServedApi, ServedResource } from './served-api.ts'

/** The same objects in other versions and groups that have the subresource. Kept until the served resources change. */
export function equivalentResources(
  api: Pick<ServedApi, 'resources'>,
): (
  resource: Pick<ServedResource, 'codec' | 'apiVersion'>,
  subresource: string,
) => readonly ServedResource[] {
  let grouped: readonly ServedResource[] | undefined
  let byCodec = new Map<Codec, ServedResource[]>()
  return (resource, subresource) => {
    if (grouped !== api.resources) {
      grouped = api.resources
      byCodec = new Map()
      for (const each of grouped.filter(({ view }) => !view))
        byCodec.set(each.codec, [...(byCodec.get(each.codec) ?? []), each])
    }
    const all = byCodec.get(resource.codec) ?? []
    return all.filter((each) => each.apiVersion !== resource.apiVersion && hasSubresource(each, subresource))
  }
}

function hasSubresource({ definition, versionName }: ServedResource, subresource: string): boolean {
  return subresource !== 'scale' || definition.subresources?.scale?.[versionName] !== undefined
}
