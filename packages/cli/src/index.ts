export { CliError } from './errors.ts'
export { createProgram, type Program } from './program.ts'
