import { basename, dirname } from 'node:path/posix'
import { isTest, isTypeScript, type Rule, type SourceFile } from './source.ts'

const isData = ({ path }: SourceFile): boolean => /(?:^|\/)(?:testdata|golden|compatibility)\//.test(path)

/** A file that long is several files. */
export const fileLength =
  (limit: number): Rule =>
  (files) =>
    files
      .filter((file) => isTypeScript(file) && !isData(file))
      .flatMap(({ path, text }) => {
        const lines = text.split('\n').length - 1
        const message = `${lines} lines; more than ${limit} is several files`
        return lines > limit ? [{ rule: 'file length', path, line: limit, message }] : []
      })

const KEBAB = /^\.?[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+(?:-[a-z0-9]+)*)*$/
// Names that people and tools look for as they are.
const KNOWN = /^(?:[A-Z]+\.md|LICENSE|NOTICE|Dockerfile|Makefile|Chart\.yaml|NOTES\.txt)$/

// The tools of Go, Python and Java find tests by such names.
const TESTS_ELSEWHERE = /^(?:[a-z0-9_]+_test\.go|test_[a-z0-9_]+\.py|[A-Z][A-Za-z0-9]*Test\.java)$/

export const fileNames =
  (banned: readonly string[]): Rule =>
  (files) =>
    files
      .filter((file) => !isData(file))
      .flatMap((file) => {
        const { path } = file
        const name = basename(path)
        const stem = name.replace(/\..*$/, '')
        const problem = (message: string) => [{ rule: 'file names', path, line: 1, message }]
        const isKnown = [KNOWN, KEBAB, TESTS_ELSEWHERE].some((pattern) => pattern.test(name))
        if (!isKnown) return problem('file names are kebab-case')
        // `storage-manager` says as little as `manager`; `types` alone says nothing, `mime-types` does.
        const isBanned = banned.some(
          (word) => stem === word || (word !== 'types' && stem.endsWith(`-${word}`)),
        )
        if (isTypeScript(file) && isBanned) return problem(`a name that fits anything says nothing: ${stem}`)
        return []
      })

/** A folder that large holds several concepts; a reader has to open its files to tell them apart. Tests do not count. */
export const folderSize =
  (limit: number): Rule =>
  (files) => {
    const sources = files.filter((file) => isTypeScript(file) && !isTest(file) && isOfPackage(file))
    return [...Map.groupBy(sources, ({ path }) => dirname(path))].flatMap(([path, { length }]) =>
      length > limit
        ? [{ rule: 'folder size', path, line: 1, message: `${length} files; split more than ${limit}` }]
        : [],
    )
  }

/** Names that each folder or package has, and that say what the file is to it. */
const SHARED_NAMES = ['index.ts', 'main.ts', 'main.tsx']

/** A reader who looks for a file by its name finds one. */
export const uniqueNames: Rule = (files) => {
  const sources = files.filter((file) => isTypeScript(file) && !isTest(file) && isOfPackage(file))
  const named = Map.groupBy(sources, ({ path }) => `${path.split('/')[1]} ${basename(path)}`)
  return [...named.values()].flatMap(([first, ...others]) =>
    first === undefined || SHARED_NAMES.includes(basename(first.path))
      ? []
      : others.map(({ path }) => ({
          ...{ rule: 'unique names', path, line: 1 },
          message: `has the name of ${first.path}: name each for what it holds`,
        })),
  )
}

const isOfPackage = ({ path }: SourceFile): boolean => path.startsWith('packages/')
