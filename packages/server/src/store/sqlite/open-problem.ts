import { StoreLost, StoreUnavailable } from '../errors.ts'
import type { OpenProblem } from './protocol.ts'
import { UnknownStoreFormat } from './schema.ts'
import { faultOf } from './sqlite-error.ts'

export const openErrors: Readonly<Record<OpenProblem, new (message: string) => Error>> = {
  foreign: UnknownStoreFormat,
  lost: StoreLost,
  unavailable: StoreUnavailable,
}

/** A damaged file counts as lost, too: it does not recover by itself. */
export function problemOf(error: unknown): OpenProblem {
  if (error instanceof UnknownStoreFormat) return 'foreign'
  return error instanceof StoreLost || faultOf(error) === 'damaged' ? 'lost' : 'unavailable'
}
