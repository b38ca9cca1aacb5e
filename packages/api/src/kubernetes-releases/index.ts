export { minorOf, releaseName, stepsBetween } from './kubernetes-release.ts'
export { loadReleaseTable, type ReleaseFacts, type ReleaseTable } from './release-table.ts'
