export { compareSchemas } from './compare-schemas.ts'
export type { SchemaChange } from './schema-change.ts'
export { schemaOfVersion } from './schema-of-version.ts'
