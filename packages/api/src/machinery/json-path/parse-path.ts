import { PathProblem, type PathStep, type Slice } from './path-step.ts'

/** The steps of a path as kubectl and upstream's tables understand it: `.spec.list[0]`, `.a[?(@.b=="c")].d`. */
export function parsePath(path: string): readonly PathStep[] {
  return new PathReader(path).steps()
}

const fieldEnd = /[ \t\r\n.,[\]$@{}]/
const word = /[\p{L}\p{Nd}_]/u

class PathReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  steps(): PathStep[] {
    const steps: PathStep[] = []
    while (this.#at < this.#text.length) {
      const rest = this.#text.slice(this.#at)
      const [first = ''] = rest
      // What is closed early is followed by text, which is no part of the first result.
      if (first === '}') return steps
      if (rest.startsWith('[?(')) steps.push(this.#filter())
      else if (rest.startsWith('..')) this.#recursive(steps)
      else if (first === ' ' || first === '@' || first === '$') this.#at++
      else if (first === '[') steps.push(...this.#brackets())
      else if (first === '"' || first === "'") steps.push({ do: 'value', value: this.#quoted(first) })
      else if (first === '.') {
        this.#at++
        steps.push(this.#field())
      } else if (/[-+\p{Nd}]/u.test(first)) steps.push({ do: 'value', ...this.#number() })
      else if (word.test(first)) steps.push(this.#identifier())
      else throw new PathProblem(`unrecognized character in action: ${first}`)
    }
    return steps
  }

  /** Up to where a pattern is found, which is left; or to the end. */
  #until(end: RegExp): string {
    const rest = this.#text.slice(this.#at)
    const length = rest.search(end)
    const taken = length < 0 ? rest : rest.slice(0, length)
    this.#at += taken.length
    return taken
  }

  #field(): PathStep {
    const found = /^(?:\\[\s\S]?|[^ \t\r\n.,[\]$@{}\\])*/.exec(this.#text.slice(this.#at))?.[0] ?? ''
    this.#at += found.length
    return found === '*' ? { do: 'all' } : { do: 'field', field: found.replaceAll('\\', '') }
  }

  #recursive(steps: PathStep[]): void {
    if (steps.at(-1)?.do === 'descend') throw new PathProblem('invalid multiple recursive descent')
    this.#at += 2
    steps.push({ do: 'descend' })
    if (word.test(this.#text[this.#at] ?? '')) steps.push(this.#field())
  }

  #identifier(): PathStep {
    const name = this.#until(fieldEnd)
    if (name === 'true' || name === 'false') return { do: 'value', value: name === 'true' }
    return { do: 'identifier', name }
  }

  #number(): { readonly value: number; readonly isFloat?: boolean } {
    const found = /^[-+]?[\p{Nd}.]*/u.exec(this.#text.slice(this.#at))?.[0] ?? ''
    this.#at += found.length
    if (/^[-+]?\d+$/.test(found)) return { value: Number(found) }
    if (/^[-+]?(?:\d+\.?\d*|\.\d+)$/.test(found)) return { value: Number(found), isFloat: true }
    throw new PathProblem(`cannot parse number ${found}`)
  }

  #quoted(quote: string): string {
    const rest = this.#text.slice(this.#at + 1)
    const end = rest.search(quote === '"' ? /(?<!\\)"/ : /(?<!\\)'/)
    if (end < 0) throw new PathProblem('unterminated quoted string')
    this.#at += end + 2
    return unquoted(rest.slice(0, end), quote)
  }

  #brackets(): PathStep[] {
    const inside = this.#until(/\]|\n/).slice(1)
    if (this.#text[this.#at] !== ']') throw new PathProblem('unterminated array')
    this.#at++
    const parts = inside.split(',')
    if (parts.length > 1) {
      return [{ do: 'union', paths: parts.map((each) => parsePath(`[${each.replace(/^ +| +$/g, '')}]`)) }]
    }
    const key = /^'([^']*)'$/.exec(inside)?.[1]
    if (key !== undefined) return [...parsePath(`.${key}`)]
    return [{ do: 'slice', slice: sliceOf(inside === '*' ? ':' : inside) }]
  }

  #filter(): PathStep {
    this.#at += 3
    const inside = this.#filterText()
    const parts = /^([^!<>=]+)([!<>=]+)([\s\S]+?)$/.exec(inside)
    const [, left, operator, right] = parts ?? []
    if (left === undefined || operator === undefined || right === undefined) {
      return { do: 'filter', left: parsePath(inside), operator: 'exists', right: [] }
    }
    return { do: 'filter', left: parsePath(left), operator, right: parsePath(right) }
  }

  /** Up to the parenthesis that closes it, which may also stand in quotes. */
  #filterText(): string {
    const start = this.#at
    let quote = ''
    for (; this.#at < this.#text.length; this.#at++) {
      const each = this.#text[this.#at] ?? ''
      if (each === '\n') break
      if (quote === '' && (each === '"' || each === "'")) quote = each
      else if (quote !== '' && each === quote && this.#text[this.#at - 1] !== '\\') quote = ' '
      else if (each === ')' && (quote === '' || quote === ' ')) {
        if (this.#text[this.#at + 1] !== ']') throw new PathProblem('unclosed array expect ]')
        this.#at += 2
        return this.#text.slice(start, this.#at - 2)
      }
    }
    throw new PathProblem('unterminated filter')
  }
}

const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
}

function unquoted(text: string, quote: string): string {
  return text.replace(/\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[\s\S])/g, (_, said: string) => {
    if (said.length > 1) return String.fromCodePoint(Number.parseInt(said.slice(1), 16))
    const meant = said === quote ? quote : escapes[said]
    if (meant === undefined) throw new PathProblem('invalid syntax')
    return meant
  })
}

function sliceOf(text: string): Slice {
  const found = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text)
  if (!found) throw new PathProblem(`invalid array index ${text}`)
  const [, first = '', second, third] = found
  const numberOf = (part: string): number => {
    if (part === '-') throw new PathProblem('array index - is not a number')
    return Number(part)
  }
  const from = first === '' ? undefined : numberOf(first)
  const step = third === undefined || third === ':' ? undefined : numberOf(third.slice(1))
  // One index alone is a slice of length one: the last one of a list ends where the list does.
  if (second === undefined) return { from: from ?? 0, to: (from ?? 0) + 1, isIndex: true, step }
  const to = second === ':' ? undefined : numberOf(second.slice(1))
  return { from, to, isIndex: false, step }
}
