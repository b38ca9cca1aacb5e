export { type BlockedWrites, WriteHealth } from './write-health.ts'
