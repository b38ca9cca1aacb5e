/**
 * Why a CA bundle (PEM, in base64) cannot be used, in upstream's words; undefined if it can. Only the PEM frame is checked:
 * a certificate that is broken inside fails at the first connection.
 */
export function caBundleProblem(caBundle: string): string | undefined {
  const pem = decoded(caBundle)
  if (pem === '') return undefined
  const problem = 'unable to load root certificates: '
  const blocks = [...pem.matchAll(/-----BEGIN ([^-\n]*)-----\s*\n([^-]*)-----END \1-----/g)]
  if (blocks.length === 0) return `${problem}unable to parse bytes as PEM block`
  const certificates = blocks.filter(([, type, body = '']) => type === 'CERTIFICATE' && !body.includes(':'))
  if (certificates.some(([, , body = '']) => isSequence(decoded(body)))) return undefined
  return certificates.length > 0
    ? `${problem}failed to parse certificate: x509: malformed certificate`
    : `${problem}no valid certificate authority data seen`
}

/** One character per byte; what is no base64 is nothing. */
function decoded(base64: string): string {
  try {
    return atob(base64.replace(/\s/g, ''))
  } catch {
    return ''
  }
}

/** As DER begins one, and no longer than it says. */
function isSequence(der: string): boolean {
  const at = (index: number): number => der.charCodeAt(index)
  if (at(0) !== 0x30) return false
  const first = at(1)
  if (first < 0x80) return der.length === first + 2
  const octets = first & 0x7f
  let length = 0
  for (let index = 2; index < 2 + octets; index++) length = length * 256 + at(index)
  return der.length === length + 2 + octets
}
