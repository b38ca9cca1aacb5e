/** For embedders and tests: the store interface and the backends without external dependencies. */
export * from './faulty/index.ts'
export * from './index.ts'
export * from './memory/index.ts'
