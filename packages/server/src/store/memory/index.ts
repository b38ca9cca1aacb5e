export { MemoryData, type MemoryDataOptions } from './data.ts'
export { createMemoryStore } from './memory-store.ts'
