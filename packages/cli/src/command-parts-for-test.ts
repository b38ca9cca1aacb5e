/** Flags, tables and documents, for programs in test/ that are used like a command. */

export { shownNames } from '@strata/insight'
export { etcdFlags } from './commands/serve-flags.ts'
export type { CliContext } from './context.ts'
export { parseWhole } from './options/duration.ts'
export { addFlags } from './options/flag.ts'
export { type StoreFlags, storeChoice } from './options/store-choice.ts'
export { printDocument } from './output/document.ts'
export { exitCodes } from './output/exit-codes.ts'
export { formatTable } from './output/table.ts'
