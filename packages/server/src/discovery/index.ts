export { createBuiltInHash } from './built-in-hash.ts'
export type {
  DiscoverableSubresource,
  RegisteredVersion,
  RemoteOpenApi,
  ServedVerbs,
} from './discoverable.ts'
export { createDiscovery, type Discovery } from './discovery.ts'
export { prioritiesOf } from './group-priorities.ts'
export type { LegacyOptions } from './legacy.ts'
export { type VersionInfo, versionInfo, versionInfoOf } from './version-info.ts'
