import type { ResourceDefinition } from '@strata/api'
import { builtInResources } from './built-in-resources.ts'
import type { KnownApi } from './runtime-config.ts'

/** Every group and version of the program's kinds, in whatever release: what can be switched on and off. */
export function knownApis(more: readonly ResourceDefinition[]): KnownApi[] {
  return [...builtInResources, ...more].flatMap(({ group, versions, resource, alsoServedIn = [] }) =>
    [{ group, versions }, ...alsoServedIn].flatMap((each) =>
      Object.keys(each.versions).map((versionName) => ({ group: each.group, versionName, resource })),
    ),
  )
}
