export { ensurePolicy } from './ensure-policy.ts'
