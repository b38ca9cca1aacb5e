import { ApiError } from '@strata/api'
import { isForbidden, isNotFound, isUnauthorized } from '@strata/client'
import { DeadlineExceeded, TransportError } from '@strata/world'

/** An error that the user can correct; the message says what is wrong and what to do. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: number
  constructor(message: string, exitCode = 1, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/** Explains the failure of a request to a cluster. Any other error is a bug, and is returned as it is. */
export function explain(what: string, error: unknown, exitCode: number): unknown {
  if (error instanceof ApiError) {
    if (isUnauthorized(error)) return new CliError(notAccepted, exitCode, { cause: error })
    // The server names the user and the missing permission after "forbidden: ".
    if (isForbidden(error)) {
      const why = error.message.replace(/^.*?\bforbidden: /, '')
      return new CliError(`not allowed: ${why}`, exitCode, { cause: error })
    }
    const message = error.message.trim()
    if (message === plainAnswer) return new CliError(`${what}: ${plainHint}`, exitCode, { cause: error })
    const hint = isNotFound(error) ? ' (is this a Strata server?)' : ''
    return new CliError(
      `${what}: the server answered ${error.code} ${error.reason}: ${message}${hint}`,
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

/** The server accepts the request and does not answer: starting it would not help. */
function silent(what: string, cause: Error, exitCode: number): CliError {
  const hint = 'the server accepts requests and does not answer; try another one with --context'
  return new CliError(`${what}: ${cause.message}; ${hint}`, exitCode, { cause })
}

const notAccepted =
  'the server does not accept the credentials of the kubeconfig context (401): they have expired, or belong to another cluster; "kubectl config view --minify" shows the server and the user'

/** What Go's servers and Strata's answer to plain HTTP. */
const plainAnswer = 'Client sent an HTTP request to an HTTPS server.'
const plainHint = 'the server speaks TLS: write https:// in clusters[].cluster.server of the kubeconfig'

/** A TLS server closes a plain connection: it runs, and the scheme of the address is wrong. */
function schemeHint(message: string): string | undefined {
  return /^\S+ http:\/\/.*: (?:socket hang up|read ECONNRESET)$/.test(message)
    ? 'does the server speak TLS? Then its address begins with https://'
    : undefined
}

/** Node's codes for a certificate that is not signed by the given authority. */
const untrusted: ReadonlySet<string> = new Set([
  'CERT_SIGNATURE_FAILURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/** The server runs, and its certificate does not match the kubeconfig. */
function certificateHint(cause: unknown): string | undefined {
  const { code = '' } = (cause ?? {}) as { code?: string }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return "the server's certificate is for other names: set tls-server-name in the kubeconfig to one of them"
  return untrusted.has(code)
    ? "the server's certificate is not signed by certificate-authority-data of the kubeconfig: it is for another cluster, or outdated"
    : undefined
}
