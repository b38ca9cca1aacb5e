interface NodeProblem {
  readonly code?: string
  readonly syscall?: string
  readonly address?: string
  readonly port?: number
  readonly hostname?: string
  readonly message?: string
  readonly cert?: { readonly subjectaltname?: string }
  readonly errors?: readonly unknown[]
}

const untrusted = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
])

const systemWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset by peer',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network is unreachable',
  ETIMEDOUT: 'i/o timeout',
  EPIPE: 'broken pipe',
}

const x509 = (what: string): string => `tls: failed to verify certificate: x509: ${what}`

/** Why a connection failed, in Go's words: they are in the messages that people know. */
export function outboundProblem(error: unknown, serverName: string): string {
  const problem = (error ?? {}) as NodeProblem
  const { code = '', syscall, errors, message } = problem
  // A name with several addresses: each of them has failed.
  if (errors?.[0]) return outboundProblem(errors[0], serverName)
  if (untrusted.has(code)) return x509('certificate signed by unknown authority')
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    return x509('certificate has expired or is not yet valid')
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return x509(otherName(problem, serverName))
  if (syscall === 'getaddrinfo') return `dial tcp: lookup ${problem.hostname ?? serverName}: no such host`
  const words = systemWords[code]
  if (syscall === 'connect' && words !== undefined) {
    return `dial tcp ${hostPort(problem.address ?? serverName, problem.port)}: connect: ${words}`
  }
  // The other side went away without a word.
  if (message === 'socket hang up') return 'EOF'
  if (message === 'aborted') return 'unexpected EOF'
  if (words !== undefined) return `${syscall ?? 'read'} tcp: ${syscall ?? 'read'}: ${words}`
  if (code.startsWith('HPE_')) return `net/http: HTTP/1.x transport connection broken: ${message ?? code}`
  return message ?? String(error)
}

function otherName({ cert }: NodeProblem, serverName: string): string {
  const names = [...(cert?.subjectaltname ?? '').matchAll(/(?:DNS|IP Address):([^,\s]+)/g)].map(
    ([, name]) => name,
  )
  return names.length === 0
    ? `certificate is not valid for any names, but wanted to match ${serverName}`
    : `certificate is valid for ${names.join(', ')}, not ${serverName}`
}

function hostPort(host: string, port: number | undefined): string {
  return `${host.includes(':') ? `[${host}]` : host}${port === undefined ? '' : `:${port}`}`
}
