export * from './codec.ts'
export * from './fingerprint.ts'
export * from './json.ts'
