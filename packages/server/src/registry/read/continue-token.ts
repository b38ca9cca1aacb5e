import { badRequest, isRawNumber } from '@strata/api'
import { MalformedJson, parseObject } from '../../codec/index.ts'
import type { Key } from '../../store/index.ts'
import { boundedInteger, shortened } from './bounded-integer.ts'
import type { AskedRevision } from './resource-version.ts'

/** Where a list continues: revision and last key. The format is upstream's (docs/reference/wire-compatibility.md, 5.2). */
export interface ContinueToken {
  /** −1 continues at the newest revision: the next page may not fit the previous ones. */
  readonly revision: AskedRevision
  /** Only keys greater than this one; it need not exist. */
  readonly after: Key
}

const version = 'meta.k8s.io/v1'

/** `prefix` is the prefix of the whole list, so a token does not reveal where the list is stored. */
export function encodeContinue(prefix: Key, { revision, after }: ContinueToken): string {
  // The first key that may come next: no key lies between a key and the same key with a zero byte appended.
  const start = `${after.slice(prefix.length)}\u0000`
  return Buffer.from(JSON.stringify({ v: version, rv: Number(revision), start })).toString('base64url')
}

export function decodeContinue(prefix: Key, text: string): ContinueToken {
  const token = parseToken(text)
  const { v = '', rv: shown = 0, start = '' } = token
  if (v !== version) throw invalidToken(`server does not recognize this encoded version ${v}`)
  const rv = int64Of(shown)
  if (rv === undefined) {
    const what = isRawNumber(shown) ? `number ${shortened(shown.rawJSON)}` : typeof shown
    throw invalidToken(`json: cannot unmarshal ${what} into Go struct field continueToken.rv of type int64`)
  }
  if (typeof start !== 'string') {
    throw invalidToken(
      `json: cannot unmarshal ${typeof start} into Go struct field continueToken.start of type string`,
    )
  }
  if (rv === 0) throw invalidToken('incorrect encoded start resourceVersion (version meta.k8s.io/v1)')
  if (start === '') throw invalidToken('encoded start key empty (version meta.k8s.io/v1)')
  // Otherwise a client could leave the prefix, and read what it was not authorized for.
  if (!isCleanPath(start.startsWith('/') ? start : `/${start}`)) throw invalidToken(start)
  const relative = start.startsWith('/') ? start.slice(1) : start
  return { revision: rv < 0 ? -1 : rv, after: before(prefix + relative) }
}

/** Go reads numbers that JavaScript would round. */
function int64Of(value: unknown): AskedRevision | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined
  if (!isRawNumber(value) || !/^-?[0-9]+$/.test(value.rawJSON)) return undefined
  const exact = boundedInteger(value.rawJSON)
  return exact !== undefined && BigInt.asIntN(64, exact) === exact ? exact : undefined
}

function parseToken(text: string): Record<string, unknown> {
  const wrong = illegalBase64At(text)
  if (wrong !== undefined) throw invalidToken(`illegal base64 data at input byte ${wrong}`)
  try {
    return parseObject(Buffer.from(text, 'base64url'))
  } catch (error) {
    if (error instanceof MalformedJson) throw invalidToken(error.message)
    throw error
  }
}

const invalidToken = (why: string) => badRequest(`invalid continue token: continue key is not valid: ${why}`)

/** Where Go's decoder fails: at a character outside the alphabet, or at a single last character. */
function illegalBase64At(text: string): number | undefined {
  const wrong = text.search(/[^A-Za-z0-9_-]/)
  if (wrong >= 0) return wrong
  return text.length % 4 === 1 ? text.length - 1 : undefined
}

function isCleanPath(path: string): boolean {
  const [, ...segments] = path.split('/')
  return segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..')
}

/** The key such that "greater than it" means "not less than `start`", for keys of objects. */
function before(start: Key): Key {
  if (start.endsWith('\u0000')) return start.slice(0, -1)
  const last = start.charCodeAt(start.length - 1)
  return `${start.slice(0, -1)}${String.fromCharCode(last - 1)}\u{10ffff}`
}
