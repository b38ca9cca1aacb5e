export { type AggregationOptions, Backends } from './backends.ts'
export { isPlainPath } from './decide-path.ts'
export { decideTimeoutMs as decideBackendTimeoutMs, passOn } from './pass-on.ts'
