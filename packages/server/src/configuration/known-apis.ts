import { type ResourceDefinition, servedVersionNames } from '@strata/api'
import { builtInResources } from './built-in-resources.ts'
import type { KnownApi } from './runtime-config.ts'

/** Every group and version of the built-in kinds, in any release: what `--runtime-config` can name. */
export function knownApis(more: readonly ResourceDefinition[]): KnownApi[] {
  return [...builtInResources, ...more].flatMap((definition) =>
    [definition, ...(definition.alsoServedIn ?? [])].flatMap((each) =>
      servedVersionNames(each).map((versionName) => ({
        group: each.group,
        versionName,
        resource: definition.resource,
      })),
    ),
  )
}
