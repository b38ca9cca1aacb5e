import { ApiError } from '@strata/api'
import { isForbidden, isNotFound, isUnauthorized } from '@strata/client'
import { DeadlineExceeded, TransportError } from '@strata/world'

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
    if (isUnauthorized(error)) return new CliError(notAccepted, exitCode, { cause: error })
    // The server names who lacks which right; what stands before that is said by it too.
    if (isForbidden(error)) {
      const why = error.message.replace(/^.*?\bforbidden: /, '')
      return new CliError(`not allowed: ${why}`, exitCode, { cause: error })
    }
    const hint = isNotFound(error) ? ' (is this a Strata server?)' : ''
    return new CliError(
      `${what}: the server answered ${error.code} ${error.reason}: ${error.message}${hint}`,
      exitCode,
    )
  }
  if (error instanceof TransportError) {
    if (error.cause instanceof DeadlineExceeded) return silent(what, error, exitCode)
    const hint = certificateHint(error.cause) ?? schemeHint(error.message) ?? 'is the server running?'
    return new CliError(`${what}: ${error.message}; ${hint}`, exitCode, { cause: error })
  }
  return error instanceof DeadlineExceeded ? silent(what, error, exitCode) : error
}

/** Whoever takes a request and says nothing runs, after its fashion: to start it would not help. */
function silent(what: string, cause: Error, exitCode: number): CliError {
  const hint = 'the server takes requests and does not answer, as if frozen: ask another one with --context'
  return new CliError(`${what}: ${cause.message}; ${hint}`, exitCode, { cause })
}

const notAccepted =
  'the server does not accept the credentials of the kubeconfig context (401): they may have run out, or be those of another cluster; "kubectl config view --minify" shows the server and the user'

/** A server that speaks TLS hangs up on whoever does not: it runs, and the address is wrong. */
function schemeHint(message: string): string | undefined {
  return /^\S+ http:\/\/.*: (?:socket hang up|read ECONNRESET)$/.test(message)
    ? 'does the server speak TLS? Then its address begins with https://'
    : undefined
}

/** As Node calls what is wrong with the authority that should have signed. */
const untrusted: ReadonlySet<string> = new Set([
  'CERT_SIGNATURE_FAILURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/** A server whose certificate is not trusted runs; what is wrong is what the kubeconfig says of it. */
function certificateHint(cause: unknown): string | undefined {
  const { code = '' } = (cause ?? {}) as { code?: string }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return "the server's certificate is for other names: tls-server-name of the kubeconfig says which one to expect"
  return untrusted.has(code)
    ? "the server's certificate is not signed by certificate-authority-data of the kubeconfig: is it that of another cluster, or an old one?"
    : undefined
}
