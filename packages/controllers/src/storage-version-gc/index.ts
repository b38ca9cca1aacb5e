export { createStorageVersionGc } from './collector.ts'
