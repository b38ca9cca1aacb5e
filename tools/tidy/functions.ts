import { blank, isTest, isTypeScript, lineAt, type Rule } from './source.ts'

const NO_FUNCTION =
  /(?:[=(,:[?|&<;{]|^|\b(?:return|else|try|do|finally)|\b(?:class|interface|enum)\b[^{}();]*)$/
const CONTROL = /\b(?:if|for|while|switch|catch|with)(?:\s+await)?\s*$/

/** A function whose body has more lines than `limit` does several things. */
export const functionLength =
  (limit: number, isInScope: (path: string) => boolean): Rule =>
  (files) =>
    files
      .filter((file) => isTypeScript(file) && !isTest(file) && isInScope(file.path))
      .flatMap(({ path, text }) => {
        const code = blank(text)
        return blocksOf(code).flatMap(({ from, to }) => {
          const lines = lineAt(code, to) - lineAt(code, from) + 1
          if (lines <= limit || !isBody(code.slice(0, from).trimEnd())) return []
          const message = `a function of ${lines} lines; split what has more than ${limit}`
          return [{ rule: 'function length', path, line: lineAt(code, from), message }]
        })
      })

/** Every pair of braces, the inner ones first. */
function blocksOf(code: string): readonly { readonly from: number; readonly to: number }[] {
  const open: number[] = []
  const blocks: { from: number; to: number }[] = []
  for (const { 0: brace, index } of code.matchAll(/[{}]/g)) {
    if (brace === '{') open.push(index)
    else blocks.push({ from: open.pop() ?? 0, to: index })
  }
  return blocks
}

/** Whether a brace after this text opens the body of a function: not a class, an object, a type or a statement. */
function isBody(before: string): boolean {
  if (before.endsWith('=>')) return true
  if (NO_FUNCTION.test(before)) return false
  return !before.endsWith(')') || !CONTROL.test(before.slice(0, openingOf(before)))
}

/** Where the parenthesis opens that the last character closes. */
function openingOf(text: string): number {
  let depth = 0
  for (let at = text.length - 1; at >= 0; at--) {
    if (text[at] === ')') depth++
    else if (text[at] === '(' && --depth === 0) return at
  }
  return 0
}
