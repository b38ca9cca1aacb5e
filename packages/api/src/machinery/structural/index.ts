export { compilePattern, type Pattern } from './compile-pattern.ts'
export { compileStructuralSchema, type StructuralSchema } from './structural-schema.ts'
export { type DefaultsOptions, validateDefaults } from './validate-defaults.ts'
