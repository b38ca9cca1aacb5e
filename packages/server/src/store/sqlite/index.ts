export { UnknownStoreFormat } from './schema.ts'
export { createSqliteStore, type SqliteStoreOptions } from './sqlite-store.ts'
