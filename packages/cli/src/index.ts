export { CliError } from './output/errors.ts'
export { createProgram, type Program } from './program.ts'
