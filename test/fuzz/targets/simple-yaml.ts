import { isMap, isScalar, isSeq, type Node, parseDocument, type Scalar } from 'yaml'

const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

/** The document needs more than this second opinion knows: tags, anchors, merges, keys that are no texts. */
export class NotSimple extends Error {}

/**
 * A second opinion on what a YAML text stands for. The structure is the library's, with every scalar a text; what each
 * plain scalar means is decided here, as go-yaml v2 does. Numbers keep the text that JSON has for them.
 */
export function simpleYaml(text: string): unknown {
  const document = parseDocument(text, {
    ...{ version: '1.1', schema: 'failsafe', merge: false, logLevel: 'error' },
    ...{ uniqueKeys: false, prettyErrors: false },
  })
  if (document.errors.length > 0 || text.includes('<<')) throw new NotSimple()
  return readNode(document.contents)
}

function readNode(node: unknown): unknown {
  if (node === null) return null
  const { tag, anchor } = node as Node & { anchor?: string }
  if (tag !== undefined || anchor !== undefined) throw new NotSimple()
  if (isScalar(node)) return scalarOf(node)
  if (isSeq(node)) return node.items.map(readNode)
  if (!isMap(node)) throw new NotSimple()
  return Object.fromEntries(node.items.map(({ key, value }) => [keyOf(key), readNode(value)]))
}

function keyOf(node: unknown): string {
  const key = readNode(node)
  if (typeof key !== 'string') throw new NotSimple()
  return key
}

const scalarOf = ({ type, source = '', value }: Scalar): unknown => (type === 'PLAIN' ? plain(source) : value)

const yes = new Set(['y', 'yes', 'true', 'on'])
const no = new Set(['n', 'no', 'false', 'off'])

/** `yes`, `Yes` and `YES`, but not `yEs`. */
const isOneCase = (text: string): boolean =>
  [
    text.toLowerCase(),
    text.toUpperCase(),
    `${text[0]?.toUpperCase()}${text.slice(1).toLowerCase()}`,
  ].includes(text)

function plain(text: string): unknown {
  if (text === '' || text === '~') return null
  const lower = text.toLowerCase()
  if (isOneCase(text)) {
    if (yes.has(lower)) return true
    if (no.has(lower)) return false
    if (lower === 'null') return null
  }
  // JSON has no number for these: the reader refuses them, and the opinion is not asked.
  if (/^[-+]?\.(?:inf|nan)$/.test(lower)) throw new NotSimple()
  return /^[-+.\d]/.test(text) ? numberOr(text) : text
}

function numberOr(text: string): unknown {
  const digits = text[0] === '.' ? text : text.split('_').join('')
  const sign = /^[-+]/.test(digits) ? digits.charAt(0) : ''
  const size = sizeOf(digits.slice(sign.length))
  if (size !== undefined) {
    const whole = sign === '-' ? -size : size
    const bits = sign === '' ? BigInt.asUintN(64, whole) : BigInt.asIntN(64, whole)
    if (bits === whole) return rawJSON(String(whole))
  }
  const isDecimal = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(digits)
  const float = Number(digits)
  return isDecimal && Number.isFinite(float) ? float : text
}

const bases: ReadonlyArray<readonly [RegExp, string]> = [
  [/^0x[\da-f]+$/i, '0x'],
  [/^0b[01]+$/i, '0b'],
  [/^0o[0-7]+$/i, '0o'],
]

function sizeOf(digits: string): bigint | undefined {
  if (digits.length > 66) return undefined
  for (const [form, prefix] of bases) if (form.test(digits)) return BigInt(prefix + digits.slice(2))
  if (/^0[0-7]+$/.test(digits)) return BigInt(`0o${digits.slice(1)}`)
  return /^(?:0|[1-9]\d*)$/.test(digits) ? BigInt(digits) : undefined
}
