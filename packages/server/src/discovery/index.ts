export type { DiscoverableSubresource, ServedVerbs } from './discoverable.ts'
export { createDiscovery, type Discovery } from './discovery.ts'
export { versionInfo } from './version-info.ts'
