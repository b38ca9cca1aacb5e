/** For embedders and tests: the seam and the homes that need nothing from outside. */
export * from './faulty/index.ts'
export * from './index.ts'
export * from './memory/index.ts'
