import { compilePattern } from '@strata/api'
import { chance, integer, pick, type Random } from '@strata/world'

/** Writes a text; `more` is how often a part that may be repeated is repeated beyond what is usual. */
type Writer = (random: Random, more: number) => string

const attempts = 200
const printable = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index))
const isPlain = (character: string): boolean => /[a-z0-9]/.test(character)

/** A text that the pattern matches, of a length within the limits. Throws if none is found. */
export function textOfPattern(
  pattern: string,
  { minLength = 0, maxLength = Number.POSITIVE_INFINITY }: { minLength?: number; maxLength?: number },
  random: Random,
): string {
  const matches = compilePattern(pattern)
  if (typeof matches !== 'function') throw new Error(`${pattern} is no pattern: ${matches.error}`)
  const write = new PatternReader(pattern).read()
  for (let attempt = 0; attempt < attempts; attempt++) {
    const text = write(random, attempt % 20)
    const length = [...text].length
    if (length >= minLength && length <= maxLength && matches(text)) return text
  }
  throw new Error(`found no text of ${minLength} to ${maxLength} characters that ${pattern} matches`)
}

/** Reads as much of RE2's language as patterns in schemas use. What it makes of the rest does not match, and is refused. */
class PatternReader {
  readonly #pattern: string
  #at = 0

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  read(): Writer {
    const choices: [Writer, ...Writer[]] = [this.#sequence()]
    while (this.#take('|')) choices.push(this.#sequence())
    return (random, more) => pick(random, choices)(random, more)
  }

  #sequence(): Writer {
    const parts: Writer[] = []
    while (this.#at < this.#pattern.length && !'|)'.includes(this.#next)) parts.push(this.#repeated())
    return (random, more) => parts.map((part) => part(random, more)).join('')
  }

  #repeated(): Writer {
    let part = this.#atom()
    for (let times = this.#times(); times; times = this.#times()) {
      const [least, most] = times
      const once = part
      part = (random, more) => {
        const count = Math.min(most, least + integer(random, 3) + integer(random, more + 1))
        return Array.from({ length: count }, () => once(random, more)).join('')
      }
    }
    return part
  }

  #times(): readonly [least: number, most: number] | undefined {
    if (this.#take('*')) return this.#greedy([0, Number.POSITIVE_INFINITY])
    if (this.#take('+')) return this.#greedy([1, Number.POSITIVE_INFINITY])
    if (this.#take('?')) return [0, 1]
    const [all, least, comma, most] = /^\{(\d+)(,?)(\d*)\}/.exec(this.#pattern.slice(this.#at)) ?? []
    if (all === undefined) return undefined
    this.#at += all.length
    const from = Number(least)
    return this.#greedy([from, comma === '' ? from : most === '' ? Number.POSITIVE_INFINITY : Number(most)])
  }

  #greedy<T>(times: T): T {
    this.#take('?')
    return times
  }

  #atom(): Writer {
    if (this.#take('^') || this.#take('$')) return () => ''
    if (this.#take('(')) return this.#group()
    if (this.#take('[')) return oneOf(this.#characters())
    if (this.#take('.')) return oneOf(printable)
    if (this.#take('\\')) return oneOf(this.#escaped())
    const literal = this.#next
    this.#at += 1
    return () => literal
  }

  #group(): Writer {
    const [flags] = /^\?(?:[a-z]*:|P<\w+>|[a-z]+\))/.exec(this.#pattern.slice(this.#at)) ?? ['']
    this.#at += flags.length
    // A flag for what follows, such as (?i).
    if (flags.endsWith(')')) return () => ''
    const inner = this.read()
    this.#take(')')
    return inner
  }

  #characters(): string[] {
    const isExcluded = this.#take('^')
    const listed = new Set<string>()
    for (let first = true; first || this.#next !== ']'; first = false) {
      if (this.#at >= this.#pattern.length) break
      const from = this.#take('\\') ? this.#escaped() : [this.#step()]
      const rest = this.#pattern.slice(this.#at)
      if (from.length === 1 && /^-[^\]]/.test(rest)) {
        this.#at += 1
        const to = this.#take('\\') ? this.#escaped() : [this.#step()]
        for (const each of between(from[0] ?? '', to[0] ?? '')) listed.add(each)
      } else for (const each of from) listed.add(each)
    }
    this.#take(']')
    return isExcluded ? printable.filter((each) => !listed.has(each)) : [...listed]
  }

  #escaped(): string[] {
    const letter = this.#step()
    if (letter === 'd') return between('0', '9')
    if (letter === 'w') return printable.filter((each) => /\w/.test(each))
    if (letter === 's') return [' ']
    if (letter === 'D' || letter === 'W' || letter === 'S') {
      const without = new RegExp(`\\${letter}`)
      return printable.filter((each) => without.test(each))
    }
    // Categories of Unicode: all that is visible is no control character, which is what is asked for.
    if (letter === 'P' || letter === 'p') return this.#step() === 'C' && letter === 'P' ? printable : ['a']
    if (letter === 't') return ['\t']
    if (letter !== 'x') return [letter]
    const code = Number.parseInt(this.#pattern.slice(this.#at, this.#at + 2), 16)
    this.#at += 2
    return [String.fromCharCode(code)]
  }

  get #next(): string {
    return this.#pattern[this.#at] ?? ''
  }

  #step(): string {
    const character = this.#next
    this.#at += 1
    return character
  }

  #take(character: string): boolean {
    if (this.#next !== character) return false
    this.#at += 1
    return true
  }
}

function between(from: string, to: string): string[] {
  const first = from.charCodeAt(0)
  return Array.from({ length: Math.max(0, to.charCodeAt(0) - first + 1) }, (_, index) =>
    String.fromCharCode(first + index),
  )
}

/** Mostly letters and digits, if they will do. */
function oneOf(characters: readonly string[]): Writer {
  const plain = characters.filter(isPlain)
  return (random) => {
    const [first, ...rest] = plain.length > 0 && chance(random, 0.9) ? plain : characters
    return first === undefined ? '' : pick(random, [first, ...rest])
  }
}
