export * from './browser-clock.ts'
export * from './browser-random.ts'
export * from './fetch-transport.ts'
