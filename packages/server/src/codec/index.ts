export * from './codec.ts'
export * from './fingerprint.ts'
export * from './json.ts'
export * from './storage-key.ts'
