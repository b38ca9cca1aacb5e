export { type Faults, noFaults } from './faults.ts'
export { createFaultyStore, type FaultyStoreHooks, type FaultyStoreOptions } from './faulty-store.ts'
