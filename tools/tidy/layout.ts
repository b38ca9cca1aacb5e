import { basename } from 'node:path/posix'
import { isTypeScript, type Rule, type SourceFile } from './source.ts'

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
const KNOWN = /^(?:[A-Z]+\.md|LICENSE|NOTICE|Dockerfile|Makefile)$/

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
        if (!KNOWN.test(name) && !KEBAB.test(name)) return problem('file names are kebab-case')
        // `storage-manager` says as little as `manager`; `types` alone says nothing, `mime-types` does.
        const isBanned = banned.some(
          (word) => stem === word || (word !== 'types' && stem.endsWith(`-${word}`)),
        )
        if (isTypeScript(file) && isBanned) return problem(`a name that fits anything says nothing: ${stem}`)
        return []
      })
