export { MemoryData, type MemoryDataOptions } from './data.ts'
export { createMemoryStore } from './store.ts'
