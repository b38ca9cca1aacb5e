export { reviewUpgrade } from './review-upgrade.ts'
export { storedResources } from './stored-resources.ts'
export { decodableAtRelease, knownReleases } from './target-release.ts'
export { UndecodableStorage } from './undecodable-storage.ts'
