import { blank, isTest, isTypeScript, lineAt, type SourceFile } from './tidy/source.ts'

/** An error as the sources write it. */
export interface ErrorText {
  readonly path: string
  readonly line: number
  /** The message, with `…` for every value that is filled in. */
  readonly text: string
  /** The second argument, as code; empty if there is none. */
  readonly second: string
}

/** Every message that is written where an error is made by `maker`: `new CliError`, `serviceUnavailable`. */
export function errorTexts(files: readonly SourceFile[], maker: string): readonly ErrorText[] {
  return files
    .filter((file) => isTypeScript(file) && !isTest(file))
    .flatMap(({ path, text }) => {
      const code = blank(text)
      const calls = Array.from(code.matchAll(new RegExp(String.raw`(?<!function )\b${maker}\(`, 'g')))
      return calls.flatMap(({ index, 0: call }) => {
        const [first, second] = argumentsAt(code, index + call.length)
        if (!first) return []
        const literals = literalsIn(text, code, first)
        const line = lineAt(text, index)
        return literals.map((each) => ({
          ...{ path, line, text: each },
          second: second ? text.slice(...second).trim() : '',
        }))
      })
    })
}

type Span = readonly [from: number, to: number]

/** Where the arguments of a call stand that begin at `from`. */
function argumentsAt(code: string, from: number): readonly Span[] {
  const spans: Span[] = []
  let depth = 0
  let begin = from
  for (let at = from; at < code.length; at++) {
    const char = code[at] ?? ''
    if (depth === 0 && (char === ',' || char === ')')) {
      if (code.slice(begin, at).trim() !== '') spans.push([begin, at])
      begin = at + 1
      if (char === ')') break
    }
    if ('([{'.includes(char)) depth++
    if (')]}'.includes(char)) depth--
  }
  return spans
}

/** The strings and templates of an expression that are not inside another template. */
function literalsIn(text: string, code: string, [from, to]: Span): readonly string[] {
  const found: string[] = []
  for (let at = from; at < to; at++) {
    const quote = code[at] ?? ''
    if (!`'"\``.includes(quote)) continue
    const end = quote === '`' ? endOfTemplate(code, at + 1) : code.indexOf(quote, at + 1)
    found.push(withoutValues(text.slice(at + 1, end), code.slice(at + 1, end)))
    at = end
  }
  // `name === '' ? … : …` compares with texts that nobody reads.
  return found.filter((each) => each.includes(' '))
}

function endOfTemplate(code: string, from: number): number {
  let depth = 0
  for (let at = from; at < code.length; at++) {
    if (code[at] === '{') depth++
    else if (code[at] === '}') depth--
    else if (code[at] === '`' && depth === 0) return at
  }
  return code.length
}

/** Outside of values, the insides of a literal are blank in `code`. */
function withoutValues(text: string, code: string): string {
  let output = ''
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    if (code[at] === '{') depth++
    if (depth === 0 && code[at] !== '$') output += text[at]
    if (code[at] === '}' && --depth === 0) output += '…'
  }
  return output
    .replaceAll(/\\(['"`])/g, '$1')
    .replaceAll('\\n', ' ')
    .replaceAll(/…{2,}/g, '…')
}
