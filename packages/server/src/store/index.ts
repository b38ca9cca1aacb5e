export * from './errors.ts'
export { compareKeys, prefixEnd, sortsNatively } from './key-order.ts'
export * from './store.ts'
