import { join } from 'node:path/posix'
import { type Import, parseImports, resolveRelative } from './imports.ts'
import { blank, isTest, isTypeScript, lineAt, type Problem, type Rule, type SourceFile } from './source.ts'

interface Export {
  readonly name: string
  readonly line: number
  readonly isType: boolean
}
interface Module {
  readonly file: SourceFile
  readonly code: string
  readonly exports: readonly Export[]
  readonly imports: readonly Import[]
}

const DECLARED =
  /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(const|let|function\*?|class|type|interface|enum)\s+([\w$]+)/gm

/**
 * Every export of a package's file is imported: by another file, a test, or the world through the package's
 * entry points. A type may also be exported for the sake of a signature in its own file.
 */
export const deadExports: Rule = (files) => {
  const modules = new Map(files.filter(isTypeScript).map((file) => [file.path, parse(file)]))
  const entries = entryPoints(files)
  const used = new Set<string>()

  const use = (path: string | undefined, name: string): void => {
    const module = path === undefined ? undefined : modules.get(path)
    const mark = `${path}#${name}`
    if (module === undefined || used.has(mark)) return
    used.add(mark)
    for (const each of module.imports.filter(({ isReexport }) => isReexport)) {
      for (const handed of each.names) {
        if (name === '*' || handed.alias === name) use(targetOf(each), handed.name)
        else if (handed.name === '*') use(targetOf(each), name)
      }
    }
  }
  const targetOf = (each: Import): string | undefined => resolveRelative(each) ?? entries.get(each.specifier)

  for (const path of entries.values()) use(path, '*')
  for (const { imports } of modules.values()) {
    for (const each of imports.filter(({ isReexport }) => !isReexport)) {
      for (const { name } of each.names) use(targetOf(each), name)
    }
  }
  return [...modules.values()]
    .filter(({ file }) => /^packages\/[^/]+\/src\//.test(file.path) && !isTest(file))
    .flatMap((module) => deadIn(module, used))
}

function deadIn({ file: { path }, code, exports }: Module, used: ReadonlySet<string>): readonly Problem[] {
  if (used.has(`${path}#*`)) return []
  return exports
    .filter(({ name, isType }) => !used.has(`${path}#${name}`) && !(isType && isMentionedTwice(code, name)))
    .map(({ name, line }) => ({ rule: 'dead exports', path, line, message: `no file imports ${name}` }))
}

const isMentionedTwice = (code: string, name: string): boolean =>
  Array.from(code.matchAll(/[\w$]+/g)).filter(([word]) => word === name).length > 1

function parse(file: SourceFile): Module {
  const code = blank(file.text)
  const exports = Array.from(code.matchAll(DECLARED), ({ index, 1: keyword = '', 2: name = '' }) => ({
    name,
    line: lineAt(code, index),
    isType: keyword === 'type' || keyword === 'interface',
  }))
  return { file, code, exports, imports: parseImports(file) }
}

/** Import specifier to file, for all packages: what their `exports` say. */
function entryPoints(files: readonly SourceFile[]): ReadonlyMap<string, string> {
  const manifests = files.filter(({ path }) => /^packages\/[^/]+\/package\.json$/.test(path))
  return new Map(
    manifests.flatMap(({ path, text }) => {
      const { name, exports = {} }: { name: string; exports?: Record<string, string> } = JSON.parse(text)
      return Object.entries(exports).map(([key, target]): [string, string] => [
        join(name, key),
        join(path, '..', target),
      ])
    }),
  )
}
