/** A file of the repository, as the rules see it. Paths are relative to the root, with slashes. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

export interface Problem {
  readonly rule: string
  readonly path: string
  readonly line: number
  readonly message: string
}

/** Looks at files and says what is wrong with them. Pure, so that a test can show it bad examples. */
export type Rule = (files: readonly SourceFile[]) => readonly Problem[]

/** What a line of a table permits, and why. One that permits nothing any more is itself a problem. */
export interface Exception {
  readonly rule: string
  readonly path: string
  /** A part of the message of the problem that is permitted; without it, all of the rule in that file. */
  readonly about?: string
  readonly because: string
}

export const isTypeScript = ({ path }: SourceFile): boolean => /\.tsx?$/.test(path)
/** A test, or what only tests beside it use: `open-for-test.ts`. */
export const isTest = ({ path }: SourceFile): boolean => /(?:\.test|-for-test)\.ts$/.test(path)

export const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length

/** Every match of `pattern` in `text` as a problem of `file`. The pattern must be global. */
export const matches = (
  file: SourceFile,
  text: string,
  pattern: RegExp,
  describe: (match: string) => string,
) =>
  Array.from(text.matchAll(pattern), (match) => ({
    path: file.path,
    line: lineAt(text, match.index),
    message: describe(match[0]),
  }))

// What may come before a regular expression; after anything else a slash divides.
const BEFORE_REGEXP =
  /(?:^|[=(,:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|in|of|await|yield|throw|void|else))$/

/**
 * The text with its comments blanked, and with the insides of strings blanked too unless they are to be kept.
 * Lengths and lines stay as they are. Not a parser, but it knows where code begins and ends.
 */
export function blank(text: string, keep: { strings: boolean } = { strings: false }): string {
  let output = ''
  const space = (from: number, to: number): void => {
    output += text.slice(from, to).replace(/[^\n]/g, ' ')
  }
  // One entry per open template literal: how many braces are open in the code inside it.
  const templates: number[] = []
  let at = 0
  const skipText = (from: number, to: number): void => {
    if (keep.strings) output += text.slice(from, to)
    else space(from, to)
    at = to
  }
  const skipTemplate = (from: number): void => {
    const end = endOf(text, from, /[`]|\$\{/)
    skipText(from, end)
    if (text[end] === '`') {
      output += '`'
      at = end + 1
    } else {
      output += text.slice(end, end + 2)
      at = end + 2
      templates.push(0)
    }
  }
  while (at < text.length) {
    const char = text[at] as string
    const two = text.slice(at, at + 2)
    const open = templates.at(-1)
    if (two === '//') {
      const end = text.indexOf('\n', at)
      space(at, end === -1 ? text.length : end)
      at = end === -1 ? text.length : end
    } else if (two === '/*') {
      const end = text.indexOf('*/', at)
      space(at, end === -1 ? text.length : end + 2)
      at = end === -1 ? text.length : end + 2
    } else if (char === "'" || char === '"') {
      const end = endOf(text, at + 1, char === "'" ? /['\n]/ : /["\n]/)
      output += char
      skipText(at + 1, end)
      output += text.slice(end, end + 1)
      at = end + 1
    } else if (char === '`') {
      output += char
      skipTemplate(at + 1)
    } else if (char === '/' && !isOfTag(text, at) && BEFORE_REGEXP.test(output.trimEnd().slice(-12))) {
      const end = endOfRegExp(text, at + 1)
      output += char
      skipText(at + 1, end)
    } else if (char === '}' && open === 0) {
      templates.pop()
      output += char
      skipTemplate(at + 1)
    } else {
      if (open !== undefined && char === '{') templates[templates.length - 1] = open + 1
      if (open !== undefined && char === '}') templates[templates.length - 1] = open - 1
      output += char
      at += 1
    }
  }
  return output
}

/** The slash of `</div>`, or of `<br />`: it begins no regular expression. */
const isOfTag = (text: string, at: number): boolean =>
  text[at - 1] === '<' || /^\/>[\s),;}<]/.test(text.slice(at, at + 3))

function endOf(text: string, from: number, end: RegExp): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (end.test(text.slice(at, at + 2)) && text.slice(at, at + 2).search(end) === 0) return at
  }
  return text.length
}

function endOfRegExp(text: string, from: number): number {
  let isInClass = false
  for (let at = from; at < text.length; at += 1) {
    const char = text[at]
    if (char === '\\') at += 1
    else if (char === '[') isInClass = true
    else if (char === ']') isInClass = false
    else if (char === '\n' || (char === '/' && !isInClass)) return at
  }
  return text.length
}
