export { createIdentityLeaseCollector } from './collector.ts'
