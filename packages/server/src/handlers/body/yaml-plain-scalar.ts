/**
 * The value of a plain YAML scalar as kube-apiserver reads it: with sigs.k8s.io/yaml, which uses go-yaml v2 (`resolve` in
 * its resolve.go). It knows the booleans and octal numbers of YAML 1.1 and no base 60. Texts that look like times stay
 * texts.
 */
export function resolvePlain(text: string): string | number | bigint | boolean | null {
  const word = words.get(text)
  if (word !== undefined) return word
  if (!/^[-+.0-9]/.test(text)) return text
  const digits = text.startsWith('.') ? text : text.replaceAll('_', '')
  return integerIn(digits) ?? floatIn(digits) ?? text
}

const words = new Map<string, boolean | number | null>([
  ...each('y Y yes Yes YES true True TRUE on On ON', true),
  ...each('n N no No NO false False FALSE off Off OFF', false),
  ...each('~ null Null NULL', null),
  ...each('.nan .NaN .NAN', Number.NaN),
  ...each('.inf .Inf .INF +.inf +.Inf +.INF', Number.POSITIVE_INFINITY),
  ...each('-.inf -.Inf -.INF', Number.NEGATIVE_INFINITY),
  ['', null],
])

function each<T>(texts: string, value: T): [string, T][] {
  return texts.split(' ').map((text) => [text, value])
}

const integer = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/

/** As Go's strconv with base 0: up to 64 bits, all of them for a number without a sign. */
function integerIn(text: string): number | bigint | undefined {
  const [whole, sign, hex, binary, octal, decimal] = integer.exec(text) ?? []
  if (whole === undefined || text.length > longest) return undefined
  const prefixed = hex ? `0x${hex}` : binary ? `0b${binary}` : octal ? `0o${octal}` : (decimal ?? '0')
  const size = BigInt(prefixed)
  const value = sign === '-' ? -size : size
  if (value < -(2n ** 63n) || value >= (sign === '' ? 2n ** 64n : 2n ** 63n)) return undefined
  return Number.isSafeInteger(Number(value)) ? Number(value) : value
}

/** 64 binary digits, their prefix and a sign. More may be leading zeros, which no client writes. */
const longest = 67

/** A number beyond a float64 is a text, as in go-yaml. */
function floatIn(text: string): number | undefined {
  const value = float.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(value) ? value : undefined
}
