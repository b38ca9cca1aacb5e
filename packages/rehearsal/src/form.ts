// What needs no server: a browser can import it.
export * from './path/read-rehearsal.ts'
export * from './path/rehearsal-form.ts'
export { rehearsalSchema } from './path/rehearsal-schema.ts'
export type * from './result/rehearsal-result.ts'
export * from './verdict/decide-verdict.ts'
