export { UnknownStoreFormat } from './schema.ts'
export { createSqliteStore, type SqliteStoreOptions } from './store.ts'
