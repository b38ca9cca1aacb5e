import { blank, isTest, isTypeScript, matches, type Rule, type SourceFile } from './source.ts'

export interface BannedCall {
  /** Global, matched against code without comments and strings. */
  readonly pattern: RegExp
  readonly instead: string
}

/** Things that would make a run depend on the real clock, on chance or on a thread pool. */
export const bannedCalls =
  (calls: readonly BannedCall[], isInScope: (path: string) => boolean): Rule =>
  (files) =>
    files
      .filter((file) => isTypeScript(file) && !isTest(file) && isInScope(file.path))
      .flatMap((file) => {
        const code = blank(file.text)
        return calls.flatMap(({ pattern, instead }) =>
          matches(file, code, pattern, (match) => `${match.replaceAll(/\s+/g, ' ')}: ${instead}`).map(
            ruled('banned calls'),
          ),
        )
      })

/** Ways around the compiler. */
export const escapeHatches: Rule = (files) =>
  files.filter(isTypeScript).flatMap((file) => {
    // Directives are comments, so they are looked for in what only comments have.
    const code = blank(file.text, { strings: true })
    const comments = Array.from(file.text, (char, at) =>
      char === code[at] && char !== '\n' ? ' ' : char,
    ).join('')
    return [
      ...matches(
        file,
        comments,
        /@ts-(?:ignore|nocheck)/g,
        (match) => `${match}: use @ts-expect-error and say why`,
      ),
      ...matches(file, blank(file.text), /\bas any\b/g, () => 'as any: name the type, or unknown'),
    ].map(ruled('escape hatches'))
  })

const ruled =
  (rule: string) =>
  (found: { path: string; line: number; message: string }): { rule: string } & typeof found => ({
    rule,
    ...found,
  })

export const isIn =
  (...prefixes: readonly string[]) =>
  ({ path }: Pick<SourceFile, 'path'>): boolean =>
    prefixes.some((prefix) => path.startsWith(prefix))
