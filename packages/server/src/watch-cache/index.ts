export type { CacheEvent, Collection, Watcher } from './collection.ts'
export { WatchCache } from './watch-cache.ts'
