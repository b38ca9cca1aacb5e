import { UintValue } from '../evaluation/value.ts'
import type { Problem } from '../rules/problems.ts'
import { childrenOf, type Expression, type MapEntry, type StructField } from './expression.ts'
import { expandMacro } from './macros.ts'
import { unescapeBytes, unescapeText } from './text-literal.ts'
import { type Token, type TokenKind, tokenize } from './tokens.ts'

export type Parsed =
  | { readonly expression: Expression; readonly problems?: undefined }
  | { readonly problems: readonly Problem[] }

const maxLength = 100_000
/** The maximum depth: recursive walks of a deeper expression would overflow the stack. */
const maxDepth = 250

const operand =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"

const reserved: ReadonlySet<string> = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)
const keywords: ReadonlySet<string> = new Set(['true', 'false', 'null', 'in'])

/** Ends the parsing at the first syntax error: later errors would be guesses. */
class SyntaxProblem extends Error {}

/** The expression that a text stands for, with macros written out. */
export function parse(source: string): Parsed {
  const length = source.length > maxLength ? [...source].length : source.length
  if (length > maxLength) {
    const message = `expression code point size exceeds limit: size: ${length}, limit ${maxLength}`
    return { problems: [{ offset: -1, message }] }
  }
  const parser = new Parser(source)
  try {
    const expression = parser.parseAll()
    return parser.problems.length === 0 ? { expression } : { problems: parser.problems }
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error
    return { problems: parser.problems }
  }
}

class Parser {
  readonly problems: Problem[] = []
  readonly #tokens: readonly Token[]
  readonly #depths = new WeakMap<Expression, number>()
  #at = 0
  #nesting = 0

  constructor(source: string) {
    this.#tokens = tokenize(source, (problem) => this.problems.push(problem))
  }

  parseAll(): Expression {
    const expression = this.#expression()
    if (this.#peek().kind !== 'end') this.#unexpected('<EOF>', 'end')
    return expression
  }

  #peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)] as Token
  }

  #take(): Token {
    const token = this.#peek()
    this.#at++
    return token
  }

  #is(symbol: string, ahead = 0): boolean {
    const token = this.#peek(ahead)
    return token.kind === 'symbol' && token.text === symbol
  }

  #takeIf(symbol: string): Token | undefined {
    return this.#is(symbol) ? this.#take() : undefined
  }

  #expect(symbol: string): Token {
    return this.#takeIf(symbol) ?? this.#unexpected(`'${symbol}'`, symbol)
  }

  /** The parser of upstream says so if leaving the word out would have helped, and otherwise something else. */
  #unexpected(expected: string, wanted?: string): never {
    const token = this.#peek()
    const next = this.#peek(1)
    const helps = token.kind !== 'end' && (next.text === wanted || (wanted === 'end' && next.kind === 'end'))
    const word = helps ? 'extraneous' : 'mismatched'
    return this.#fail(token.offset, `Syntax error: ${word} input '${token.text}' expecting ${expected}`)
  }

  #fail(offset: number, message: string): never {
    this.problems.push({ offset, message })
    throw new SyntaxProblem(message)
  }

  #report(offset: number, message: string): void {
    this.problems.push({ offset, message })
  }

  /** Called for every node after its children. Limits the depth, because other code walks the tree recursively. */
  #made<T extends Expression>(expression: T): T {
    let depth = 1
    for (const child of childrenOf(expression)) depth = Math.max(depth, (this.#depths.get(child) ?? 0) + 1)
    // A macro adds a few levels of its own to what was written.
    if (depth > maxDepth * 4) this.#fail(-1, 'max recursion depth exceeded')
    this.#depths.set(expression, depth)
    return expression
  }

  #expression(): Expression {
    if (++this.#nesting > maxDepth) {
      this.#fail(-1, `expression recursion limit exceeded: ${maxDepth}`)
    }
    const condition = this.#logical('||', '_||_', () => this.#logical('&&', '_&&_', () => this.#relation()))
    const mark = this.#takeIf('?')
    let result = condition
    if (mark) {
      const yes = this.#logical('||', '_||_', () => this.#logical('&&', '_&&_', () => this.#relation()))
      this.#expect(':')
      const no = this.#expression()
      result = this.#call('_?_:_', [condition, yes, no], mark.offset)
    }
    this.#nesting--
    return result
  }

  /** A chain of equal operators becomes a balanced tree, as upstream's does: deep ones would cost stack. */
  #logical(symbol: string, name: string, term: () => Expression): Expression {
    const terms = [term()]
    const offsets: number[] = []
    for (let token = this.#takeIf(symbol); token; token = this.#takeIf(symbol)) {
      offsets.push(token.offset)
      terms.push(term())
    }
    const tree = (low: number, high: number): Expression => {
      const middle = (low + high + 1) >> 1
      const left = middle === low ? terms[middle] : tree(low, middle - 1)
      const right = middle === high ? terms[middle + 1] : tree(middle + 1, high)
      return this.#call(name, [left as Expression, right as Expression], offsets[middle] ?? 0)
    }
    return offsets.length === 0 ? (terms[0] as Expression) : tree(0, offsets.length - 1)
  }

  #relation(): Expression {
    return this.#binary(relations, () =>
      this.#binary(sums, () => this.#binary(products, () => this.#unary())),
    )
  }

  #binary(names: Readonly<Record<string, string>>, term: () => Expression): Expression {
    let left = term()
    for (;;) {
      const token = this.#peek()
      const isOperator = token.kind === 'symbol' || (token.kind === 'identifier' && token.text === 'in')
      const name = isOperator && Object.hasOwn(names, token.text) ? names[token.text] : undefined
      if (name === undefined) return left
      this.#take()
      left = this.#call(name, [left, term()], token.offset)
    }
  }

  #unary(): Expression {
    const first = this.#peek()
    for (const [symbol, name] of [
      ['!', '!_'],
      ['-', '-_'],
    ] as const) {
      if (!this.#is(symbol)) continue
      let count = 0
      while (this.#is(symbol)) {
        // `-1` is a number, not the negation of one: only so is the smallest one of all possible.
        if (symbol === '-' && ['int', 'float'].includes(this.#peek(1).kind)) break
        this.#take()
        count++
      }
      const member = this.#member()
      // Two equal operators cancel each other.
      return count % 2 === 1 ? this.#call(name, [member], first.offset) : member
    }
    return this.#member()
  }

  #member(): Expression {
    let value = this.#primary()
    for (;;) {
      if (this.#is('.')) value = this.#selection(value)
      else if (this.#is('[')) {
        const open = this.#take()
        const isOptional = this.#takeIf('?') !== undefined
        const index = this.#expression()
        this.#expect(']')
        value = this.#call(isOptional ? '_[?_]' : '_[_]', [value, index], open.offset)
      } else return value
    }
  }

  #selection(value: Expression): Expression {
    const dot = this.#take()
    const isOptional = this.#takeIf('?') !== undefined
    const token = this.#peek()
    if (token.kind !== 'identifier' && token.kind !== 'escaped') {
      return this.#fail(
        token.offset,
        `Syntax error: no viable alternative at input '.${isOptional ? '?' : ''}${token.kind === 'end' ? '' : token.text}'`,
      )
    }
    if (token.kind === 'identifier' && keywords.has(token.text)) {
      return this.#fail(token.offset, `Syntax error: mismatched input '${token.text}' expecting IDENTIFIER`)
    }
    this.#take()
    const name = token.kind === 'escaped' ? token.text.slice(1, -1) : token.text
    if (!isOptional && token.kind === 'identifier' && this.#is('(')) {
      const open = this.#take()
      return this.#call(name, this.#arguments(), open.offset, value)
    }
    if (isOptional) {
      const field = this.#made({ kind: 'literal', value: name, offset: token.offset })
      return this.#made({
        kind: 'call',
        name: '_?._',
        target: undefined,
        arguments: [value, field],
        offset: dot.offset,
      })
    }
    return this.#made({ kind: 'select', operand: value, field: name, isTest: false, offset: dot.offset })
  }

  /** Parses the arguments of a call, after the opening parenthesis. */
  #arguments(): Expression[] {
    const found: Expression[] = []
    if (this.#takeIf(')')) return found
    do found.push(this.#expression())
    while (this.#takeIf(','))
    this.#expect(')')
    return found
  }

  #call(name: string, args: readonly Expression[], offset: number, target?: Expression): Expression {
    const expanded = expandMacro(name, target, args, offset)
    if (expanded && 'problem' in expanded) {
      this.#report(expanded.offset, expanded.problem)
      return this.#made({ kind: 'literal', value: null, offset })
    }
    if (expanded) return this.#madeDeeply(expanded.expression)
    return this.#made({ kind: 'call', name, target, arguments: args, offset })
  }

  /** Marks an expression that a macro made, and all its parts, as new. */
  #madeDeeply(expression: Expression): Expression {
    for (const child of childrenOf(expression)) {
      if (!this.#depths.has(child)) this.#madeDeeply(child)
    }
    return this.#made(expression)
  }

  #primary(): Expression {
    const token = this.#peek()
    switch (token.kind) {
      case 'int':
      case 'float':
      case 'uint':
      case 'string':
      case 'bytes':
        return this.#literal(this.#take(), '')
      case 'identifier':
        return this.#named()
      case 'symbol':
        return this.#enclosed(token)
      default:
        return this.#unexpected(operand)
    }
  }

  #enclosed(token: Token): Expression {
    switch (token.text) {
      case '(': {
        this.#take()
        const inner = this.#expression()
        this.#expect(')')
        return inner
      }
      case '[':
        return this.#list()
      case '{':
        return this.#map()
      case '.':
        return this.#named()
      case '-':
        this.#take()
        if (['int', 'float'].includes(this.#peek().kind))
          return this.#literal(this.#take(), '-', token.offset)
        return this.#unexpected(operand)
      default:
        return this.#unexpected(operand)
    }
  }

  /** A variable, a function, or, with braces, a message: `a`, `.a`, `a(…)`, `a.b{…}`. */
  #named(): Expression {
    const dot = this.#takeIf('.')
    const token = this.#peek()
    if (token.kind !== 'identifier') return this.#unexpected('IDENTIFIER')
    if (token.text === 'true' || token.text === 'false' || token.text === 'null') {
      this.#take()
      const value = token.text === 'null' ? null : token.text === 'true'
      return this.#made({ kind: 'literal', value, offset: token.offset })
    }
    if (token.text === 'in') return this.#unexpected(operand)
    const message = this.#message(dot)
    if (message) return message
    this.#take()
    const offset = (dot ?? token).offset
    if (reserved.has(token.text)) {
      this.#report(offset, `reserved identifier: ${token.text}`)
    }
    const name = dot ? `.${token.text}` : token.text
    if (!this.#is('(')) return this.#made({ kind: 'identifier', name, offset: token.offset })
    const open = this.#take()
    return this.#call(name, this.#arguments(), open.offset)
  }

  #message(dot: Token | undefined): Expression | undefined {
    let ahead = 1
    while (this.#is('.', ahead) && this.#peek(ahead + 1).kind === 'identifier') ahead += 2
    if (!this.#is('{', ahead)) return undefined
    let name = dot ? '.' : ''
    for (let index = 0; index < ahead; index++) name += this.#take().text
    const open = this.#take()
    const fields: StructField[] = []
    while (!this.#is('}')) {
      const isOptional = this.#takeIf('?') !== undefined
      const field = this.#peek()
      if (field.kind !== 'identifier' && field.kind !== 'escaped') {
        return this.#unexpected("{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}", '}')
      }
      this.#take()
      const colon = this.#expect(':')
      const text = field.kind === 'escaped' ? field.text.slice(1, -1) : field.text
      fields.push({ name: text, value: this.#expression(), isOptional, offset: colon.offset })
      if (!this.#takeIf(',')) break
    }
    this.#expect('}')
    return this.#made({ kind: 'struct', name, fields, offset: open.offset })
  }

  #list(): Expression {
    const open = this.#take()
    const elements: Expression[] = []
    const optionals = new Set<number>()
    while (!this.#is(']')) {
      if (this.#takeIf('?')) optionals.add(elements.length)
      elements.push(this.#expression())
      if (!this.#takeIf(',')) break
    }
    this.#expect(']')
    return this.#made({ kind: 'list', elements, optionals, offset: open.offset })
  }

  #map(): Expression {
    const open = this.#take()
    const entries: MapEntry[] = []
    while (!this.#is('}')) {
      const isOptional = this.#takeIf('?') !== undefined
      const key = this.#expression()
      const colon = this.#expect(':')
      entries.push({ key, value: this.#expression(), isOptional, offset: colon.offset })
      if (!this.#takeIf(',')) break
    }
    this.#expect('}')
    return this.#made({ kind: 'map', entries, offset: open.offset })
  }

  #literal({ kind, text, offset: at }: Token, sign: '' | '-', offset = at): Expression {
    const value = literalValue(kind, text, sign)
    if (typeof value === 'object' && value !== null && 'problem' in value) {
      this.#report(offset, value.problem)
      return this.#made({ kind: 'literal', value: null, offset })
    }
    return this.#made({ kind: 'literal', value, offset })
  }
}

function literalValue(kind: TokenKind, text: string, sign: '' | '-') {
  switch (kind) {
    case 'int': {
      const value = sign === '-' ? -BigInt(text) : BigInt(text)
      return BigInt.asIntN(64, value) === value ? value : { problem: 'invalid int literal' }
    }
    case 'uint': {
      const value = BigInt(text.slice(0, -1))
      return BigInt.asUintN(64, value) === value ? new UintValue(value) : { problem: 'invalid uint literal' }
    }
    case 'float': {
      const value = Number(sign + text)
      return Number.isFinite(value) ? value : { problem: 'invalid double literal' }
    }
    case 'bytes': {
      const found = unescapeBytes(text.slice(1))
      return 'problem' in found ? found : found.value
    }
    default: {
      const found = unescapeText(text)
      return 'problem' in found ? found : found.value
    }
  }
}

const relations = {
  '<': '_<_',
  '<=': '_<=_',
  '>': '_>_',
  '>=': '_>=_',
  '==': '_==_',
  '!=': '_!=_',
  in: '@in',
}
const sums = { '+': '_+_', '-': '_-_' }
const products = { '*': '_*_', '/': '_/_', '%': '_%_' }
