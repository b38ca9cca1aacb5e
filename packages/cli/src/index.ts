export { CliError } from './output/errors.ts'
export { createCommands, createProgram, type Program } from './program.ts'
