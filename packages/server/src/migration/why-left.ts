import { ApiError, type NamedObject } from '@strata/api'
import { ConversionPending, MalformedJson, UndecodableObject } from '../codec/index.ts'

/** The reason that a migration through the API has for it, and a message. */
export type Left = Required<Pick<NamedObject, 'reason' | 'message'>>

const longest = 500

/** Why an object cannot be rewritten here. Errors that do not concern the object are rethrown. */
export function whyLeft(error: unknown): Left {
  if (error instanceof UndecodableObject || error instanceof MalformedJson) {
    return { reason: 'Undecodable', message: cut(error.message) }
  }
  if (error instanceof ConversionPending) return { reason: 'ConversionFailed', message: cut(error.message) }
  if (!(error instanceof ApiError)) throw error
  return { reason: reasonOf(error.code), message: cut(error.message) }
}

function reasonOf(code: number): string {
  if (code === 413) return 'TooLarge'
  // Its conversion webhook did not answer, or failed.
  return code >= 500 ? 'ConversionFailed' : 'Invalid'
}

const cut = (message: string): string =>
  message.length <= longest ? message : `${message.slice(0, longest - 1)}…`
