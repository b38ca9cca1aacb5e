import type { Key } from './store.ts'

/**
 * Keys are ordered by their UTF-8 bytes, which is the order of their code points. JavaScript compares UTF-16 code units instead,
 * and the two differ: a character beyond U+FFFF starts with a surrogate (U+D800 to U+DFFF) and would sort before U+E000. If the
 * store sorts one way and the reader pages the other way, keys are skipped.
 */
export function compareKeys(a: Key, b: Key): number {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index)
    const right = b.charCodeAt(index)
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

/** True if every key made of `text` alone sorts the same way in UTF-16 and in UTF-8. */
export function sortsNatively(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) >= 0xd800) return false
  }
  return true
}

/** Moves surrogates above all other code units, where their code points belong. */
function rank(codeUnit: number): number {
  if (codeUnit < 0xd800) return codeUnit
  return codeUnit < 0xe000 ? codeUnit + 0x2000 : codeUnit - 0x800
}

/**
 * The smallest key greater than every key that begins with `prefix`, or `undefined` if there is none. It increments the last code
 * point, not the last byte: the byte after 0x7f or 0xbf does not end a well-formed text, and not every store can compare with
 * that.
 */
export function prefixEnd(prefix: Key): Key | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0)
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last === 0x10ffff) continue
    const next = last === 0xd7ff ? 0xe000 : last + 1
    return String.fromCodePoint(...points, next)
  }
  return undefined
}
