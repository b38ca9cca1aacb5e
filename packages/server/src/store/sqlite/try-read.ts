import { StoreUnavailable } from '../errors.ts'
import { explainError, faultOf, isBusy, isSqliteError } from './sqlite-error.ts'

export interface Answer<T> {
  readonly value: T
}

/** Undefined if another process holds the lock. */
export function tryRead<T>(read: () => T): Answer<T> | undefined {
  try {
    return { value: read() }
  } catch (error) {
    if (isBusy(error)) return undefined
    if (isSqliteError(error))
      throw new StoreUnavailable(explainError(error), { cause: error, fault: faultOf(error) })
    throw error
  }
}
