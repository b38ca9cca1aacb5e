/**
 * The error of Go's decoder for malformed JSON. Only called when the engine has refused the text: scripts match these
 * messages of kube-apiserver.
 */
export function describeMalformedJson(text: string): string {
  const scanner = new Scanner(text)
  return scanner.describe() ?? 'unexpected end of JSON input'
}

/**
 * The maximum nesting of objects and arrays. Go stops at ten thousand; here many walks over an object are recursive,
 * and the stack is smaller. Real objects are not a tenth as deep.
 */
const maxDepth = 1_000

/** The error for a deeper text, in the words of Go's decoder. */
export const tooDeep = 'exceeded max depth'

/** Whether a text that may be JSON is nested too deeply. Checked before any code walks it. */
export function isTooDeep(text: string): boolean {
  // Every level takes two characters, so most texts need no check.
  if (text.length <= 2 * maxDepth) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === openObject || code === openArray) {
      if (++depth > maxDepth) return true
    } else if (code === closeObject || code === closeArray) depth--
  }
  return false
}

/** The same of a value that did not come as JSON. It does not call itself, for the value may be as deep as it likes. */
export function isValueTooDeep(value: unknown): boolean {
  const waiting: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 1 }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue
    if (next.depth > maxDepth) return true
    for (const each of Object.values(next.value)) waiting.push({ value: each, depth: next.depth + 1 })
  }
  return false
}

const [quote, backslash, openObject, closeObject, openArray, closeArray] = [
  0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d,
]

/** The place of the quote that ends the string which begins at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at
    while (text.charCodeAt(before - 1) === backslash) before--
    if ((at - before) % 2 === 0) return at
  }
  return text.length
}

const firstByte = (char: string): string => String.fromCharCode(new TextEncoder().encode(char)[0] ?? 0)

class Scanner {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Undefined if the text ends too early, or if nothing is wrong with it. */
  describe(): string | undefined {
    const open: ('object' | 'array')[] = []
    let expects: 'value' | 'key' | 'first-key' | 'first-value' | 'colon' | 'after' = 'value'
    for (;;) {
      this.#skipSpace()
      const char = this.#text[this.#at]
      if (char === undefined) return undefined
      if (expects === 'after') {
        const inside = open.at(-1)
        if (inside === undefined) return this.#invalid(char, 'after top-level value')
        const close: string = inside === 'object' ? '}' : ']'
        if (char === ',') expects = inside === 'object' ? 'key' : 'value'
        else if (char === close) open.pop()
        else
          return this.#invalid(
            char,
            inside === 'object' ? 'after object key:value pair' : 'after array element',
          )
        this.#at++
      } else if (expects === 'colon') {
        if (char !== ':') return this.#invalid(char, 'after object key')
        this.#at++
        expects = 'value'
      } else if (expects === 'key' || expects === 'first-key') {
        if (char === '}' && expects === 'first-key') {
          open.pop()
          this.#at++
          expects = 'after'
        } else if (char !== '"') return this.#invalid(char, 'looking for beginning of object key string')
        else {
          const problem = this.#string()
          if (problem !== 'ok') return problem
          expects = 'colon'
        }
      } else if (char === ']' && expects === 'first-value') {
        open.pop()
        this.#at++
        expects = 'after'
      } else if (char === '{' || char === '[') {
        open.push(char === '{' ? 'object' : 'array')
        if (open.length > maxDepth) return tooDeep
        this.#at++
        expects = char === '{' ? 'first-key' : 'first-value'
      } else {
        const problem = this.#scalar(char)
        if (problem !== 'ok') return problem
        expects = 'after'
      }
    }
  }

  #skipSpace(): void {
    while (/[ \t\r\n]/.test(this.#text[this.#at] ?? 'x')) this.#at++
  }

  #invalid(char: string, where: string): string {
    // Go goes by bytes, and shows the first one of a longer character as if it were a character.
    if (char > '\x7f') return `invalid character '${firstByte(char)}' ${where}`
    const shown = char === "'" ? `'\\''` : char === '"' ? `'"'` : JSON.stringify(char).replace(/^"|"$/g, "'")
    return `invalid character ${shown} ${where}`
  }

  /** Undefined: the text ends inside. */
  #string(): string | undefined {
    this.#at++
    for (;;) {
      const char = this.#text[this.#at++]
      if (char === undefined) return undefined
      if (char === '"') return 'ok'
      if (char < ' ') return this.#invalid(char, 'in string literal')
      if (char !== '\\') continue
      const escaped = this.#text[this.#at++]
      if (escaped === undefined) return undefined
      if (escaped === 'u') {
        for (let digit = 0; digit < 4; digit++) {
          const hex = this.#text[this.#at++]
          if (hex === undefined) return undefined
          if (!/[0-9a-fA-F]/.test(hex)) return this.#invalid(hex, 'in \\u hexadecimal character escape')
        }
      } else if (!'"\\/bfnrt'.includes(escaped)) return this.#invalid(escaped, 'in string escape code')
    }
  }

  #scalar(char: string): string | undefined {
    if (char === '"') return this.#string()
    for (const word of ['true', 'false', 'null']) if (char === word[0]) return this.#word(word)
    if (char !== '-' && !/\d/.test(char)) return this.#invalid(char, 'looking for beginning of value')
    return this.#number()
  }

  #word(word: string): string | undefined {
    for (const expected of word) {
      const found = this.#text[this.#at++]
      if (found === undefined) return undefined
      if (found !== expected) return this.#invalid(found, `in literal ${word} (expecting '${expected}')`)
    }
    return 'ok'
  }

  #number(): string | undefined {
    const digits = (where: string): string | undefined => {
      const first = this.#text[this.#at]
      if (first === undefined) return undefined
      if (!/\d/.test(first)) return this.#invalid(first, where)
      while (/\d/.test(this.#text[this.#at] ?? '')) this.#at++
      return 'ok'
    }
    if (this.#text[this.#at] === '-') this.#at++
    if (this.#text[this.#at] === '0') this.#at++
    else {
      const problem = digits('in numeric literal')
      if (problem !== 'ok') return problem
    }
    if (this.#text[this.#at] === '.') {
      this.#at++
      const problem = digits('after decimal point in numeric literal')
      if (problem !== 'ok') return problem
    }
    if (/[eE]/.test(this.#text[this.#at] ?? '')) {
      this.#at++
      if (/[-+]/.test(this.#text[this.#at] ?? '')) this.#at++
      const problem = digits('in exponent of numeric literal')
      if (problem !== 'ok') return problem
    }
    return 'ok'
  }
}
