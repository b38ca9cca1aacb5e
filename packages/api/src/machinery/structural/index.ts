export { compilePattern, type Pattern } from './compile-pattern.ts'
export { compileStructuralSchema, type StructuralSchema } from './structural-schema.ts'
