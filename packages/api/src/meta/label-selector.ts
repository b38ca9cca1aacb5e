import { labelValueRule, qualifiedName } from '../machinery/name-rules.ts'

export type LabelOperator = 'in' | 'notin' | 'exists' | 'absent' | 'greater' | 'less'

export interface LabelRequirement {
  readonly key: string
  readonly operator: LabelOperator
  readonly values: readonly string[]
}

/** All of them must hold. An empty selector selects everything. */
export type LabelSelector = readonly LabelRequirement[]

/** The text is not a selector. The message is upstream's; people search for it. */
export class MalformedSelector extends Error {
  override readonly name = 'MalformedSelector'
}

type TokenKind = 'word' | 'end' | '(' | ')' | ',' | '!' | '=' | '==' | '!=' | '<' | '>' | 'in' | 'notin'
interface Token {
  readonly kind: TokenKind
  readonly text: string
}

const symbols = '=!(),<>'
const operators: ReadonlySet<string> = new Set(['=', '==', '!=', '<', '>', '!', '(', ')', ','])

function* tokens(text: string): Generator<Token> {
  let at = 0
  while (at < text.length) {
    const char = text[at] ?? ''
    if (/\s/.test(char)) {
      at++
    } else if (symbols.includes(char)) {
      const two = text.slice(at, at + 2)
      const symbol = operators.has(two) ? two : char
      at += symbol.length
      yield { kind: symbol as TokenKind, text: symbol }
    } else {
      let end = at
      while (end < text.length && !symbols.includes(text[end] ?? '') && !/\s/.test(text[end] ?? '')) end++
      const word = text.slice(at, end)
      at = end
      yield { kind: word === 'in' || word === 'notin' ? word : 'word', text: word }
    }
  }
}

class Parser {
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(text: string) {
    this.#tokens = [...tokens(text)]
  }

  #peek(offset = 0): Token {
    return this.#tokens[this.#at + offset] ?? { kind: 'end', text: '' }
  }

  #next(): Token {
    const token = this.#peek()
    this.#at++
    return token
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = []
    if (this.#peek().kind === 'end') return requirements
    for (;;) {
      const { kind, text } = this.#peek()
      if (kind !== 'word' && kind !== '!' && kind !== 'in' && kind !== 'notin') {
        throw new MalformedSelector(`found '${text}', expected: !, identifier, or 'end of string'`)
      }
      requirements.push(this.#requirement())
      const after = this.#next()
      if (after.kind === 'end') return requirements
      if (after.kind !== ',')
        throw new MalformedSelector(`found '${after.text}', expected: ',' or 'end of string'`)
      const next = this.#peek()
      if (next.kind !== 'word' && next.kind !== '!' && next.kind !== 'in' && next.kind !== 'notin') {
        throw new MalformedSelector(`found '${next.text}', expected: identifier after ','`)
      }
    }
  }

  #requirement(): LabelRequirement {
    const negated = this.#peek().kind === '!'
    if (negated) this.#next()
    const key = this.#next()
    if (key.kind === 'end' || operators.has(key.kind)) {
      throw unparsable(`found '${key.text}', expected: identifier`)
    }
    checkKey(key.text)
    const follows = this.#peek().kind
    if (negated) {
      if (follows !== 'end' && follows !== ',')
        throw unparsable(`found '${this.#peek().text}', expected: ',' or 'end of string'`)
      return { key: key.text, operator: 'absent', values: [] }
    }
    if (follows === 'end' || follows === ',') return { key: key.text, operator: 'exists', values: [] }
    return this.#operation(key.text)
  }

  #operation(key: string): LabelRequirement {
    const operator = this.#next()
    switch (operator.kind) {
      case 'in':
      case 'notin':
        return { key, operator: operator.kind, values: checkValues(key, this.#valueList()) }
      case '=':
      case '==':
        return { key, operator: 'in', values: checkValues(key, [this.#value()]) }
      case '!=':
        return { key, operator: 'notin', values: checkValues(key, [this.#value()]) }
      case '<':
      case '>':
        return {
          key,
          operator: operator.kind === '<' ? 'less' : 'greater',
          values: [checkNumber(this.#value())],
        }
      default:
        throw unparsable(`found '${operator.text}', expected: in, notin, =, ==, !=, gt, lt`)
    }
  }

  /** One value after `=`; nothing at all is the empty value. */
  #value(): string {
    const { kind, text } = this.#peek()
    if (kind === 'end' || kind === ',') return ''
    if (kind !== 'word' && kind !== 'in' && kind !== 'notin')
      throw unparsable(`found '${text}', expected: identifier`)
    this.#next()
    return text
  }

  #valueList(): string[] {
    const open = this.#next()
    if (open.kind !== '(') throw unparsable(`found '${open.text}' expected: '('`)
    const values: string[] = []
    let needsValue = true
    for (;;) {
      const { kind, text } = this.#next()
      if (kind === ')') {
        if (needsValue) values.push('')
        return values
      }
      if (kind === ',') {
        if (needsValue) values.push('')
        needsValue = true
      } else if (kind === 'word' || kind === 'in' || kind === 'notin') {
        values.push(text)
        needsValue = false
      } else {
        const wanted = values.length === 0 ? "',', ')' or identifier" : "',', or ')'"
        throw unparsable(`found '${text}', expected: ${wanted}`)
      }
    }
  }
}

function unparsable(why: string): MalformedSelector {
  return new MalformedSelector(`unable to parse requirement: ${why}`)
}

function checkKey(key: string): void {
  const [problem] = qualifiedName(key)
  if (problem !== undefined) throw unparsable(`<nil>: Invalid value: ${JSON.stringify(key)}: ${problem}`)
}

function checkValues(key: string, values: readonly string[]): readonly string[] {
  values.forEach((value, index) => {
    const [problem] = labelValueRule(value)
    if (problem !== undefined) {
      throw unparsable(`values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: ${problem}`)
    }
  })
  return values
}

function checkNumber(value: string): string {
  if (!/^[-+]?\d+$/.test(value)) {
    throw unparsable(
      `values[0]: Invalid value: ${JSON.stringify(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
    )
  }
  return value
}

export function parseLabelSelector(text: string): LabelSelector {
  return new Parser(text).parse()
}

export function matchesLabels(
  selector: LabelSelector,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  return selector.every((requirement) => meets(requirement, labels))
}

function meets(
  { key, operator, values }: LabelRequirement,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  const value = labels && Object.hasOwn(labels, key) ? labels[key] : undefined
  switch (operator) {
    case 'exists':
      return value !== undefined
    case 'absent':
      return value === undefined
    case 'in':
      return value !== undefined && values.includes(value)
    case 'notin':
      return value === undefined || !values.includes(value)
    case 'greater':
    case 'less': {
      // Labels that are not whole numbers are neither greater nor less than anything.
      if (value === undefined || !/^[-+]?\d+$/.test(value)) return false
      const bound = BigInt((values[0] ?? '0').replace('+', ''))
      const found = BigInt(value.replace('+', ''))
      return operator === 'greater' ? found > bound : found < bound
    }
  }
}
