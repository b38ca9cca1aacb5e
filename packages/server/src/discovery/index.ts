export { discoveryDocument, type ServedVerbs } from './documents.ts'
export { versionInfo } from './version-info.ts'
