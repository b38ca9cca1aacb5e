export type { ConversionFunction } from './converter-of.ts'
export { CustomResources } from './custom-resources.ts'
export { DefinitionLifecycle } from './lifecycle.ts'
