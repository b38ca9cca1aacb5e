export { ReadOnlySqlite } from './read-only.ts'
export { UnknownStoreFormat } from './schema.ts'
export { createSqliteStore, type SqliteStoreOptions } from './sqlite-store.ts'
