import { blank, isTest, isTypeScript, matches, type Rule } from './source.ts'

const CODE = String.raw`[2-5]\d\d\b`
const COMPARISON = '(?:[=!]==?|[<>]=?)'
const SUBJECT = String.raw`\b(?:code|status|statusCode)\b`

/** A comparison, a list that is searched, a `case`, and a key of a table. */
const DECISIONS = [
  new RegExp(String.raw`${SUBJECT}\)?\s*${COMPARISON}\s*${CODE}`, 'g'),
  new RegExp(String.raw`\b${CODE}\s*${COMPARISON}\s*[\w.?]*${SUBJECT}`, 'g'),
  new RegExp(String.raw`\[\s*${CODE}[\d\s,]*\]\s*\.includes\b`, 'g'),
  new RegExp(String.raw`(?:\bcase|[{,])\s*${CODE}\s*:`, 'g'),
]

/** HTTP status codes are read in one file, so that the same failure means the same everywhere. */
export const statusCodes =
  (isInScope: (path: string) => boolean, instead: string): Rule =>
  (files) =>
    files
      .filter((file) => isTypeScript(file) && !isTest(file) && isInScope(file.path))
      .flatMap((file) => {
        const code = blank(file.text)
        return DECISIONS.flatMap((pattern) =>
          matches(
            file,
            code,
            pattern,
            (match) => `${match.replaceAll(/^[{,]|:$|\s+/g, ' ').trim()}: ${instead}`,
          ),
        ).map((found) => ({ rule: 'status codes', ...found }))
      })
