import { ApiError } from '@strata/api'
import { TransportError } from '@strata/world'

/** Something the user can put right; the message says what and how. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: number
  constructor(message: string, exitCode = 1, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/** Puts what a cluster answered, or did not answer, into a sentence. Anything else is a bug and stays one. */
export function explain(what: string, error: unknown, exitCode: number): unknown {
  if (error instanceof ApiError) {
    const hint = error.code === 404 ? ' (is this a Strata server?)' : ''
    return new CliError(
      `${what}: the server answered ${error.code} ${error.reason}: ${error.message}${hint}`,
      exitCode,
    )
  }
  if (error instanceof TransportError) {
    return new CliError(`${what}: ${error.message}; is the server running?`, exitCode, { cause: error })
  }
  return error
}
