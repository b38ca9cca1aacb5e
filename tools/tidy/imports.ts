import { dirname, join } from 'node:path/posix'
import { blank, lineAt, type SourceFile } from './source.ts'

export interface ImportedName {
  readonly name: string
  readonly alias: string
}
export interface Import {
  readonly from: string
  readonly line: number
  readonly specifier: string
  /** The names taken: as the other file calls them, and as this one does. `*` for all of them. */
  readonly names: readonly ImportedName[]
  /** Whether they are handed on: `export … from`. */
  readonly isReexport: boolean
}

const ALL: ImportedName = { name: '*', alias: '*' }

const STATEMENT = /^[ \t]*(import|export)\b(?:\s+type\b)?([^'"`;=()]*?)\bfrom\s*(['"])([^'"\n]+)\3/gm
const BARE = /^[ \t]*import\s*(['"])([^'"\n]+)\1/gm
// import(…) of a module, and new URL(…, import.meta.url) of a worker, take the file as a whole.
const DYNAMIC = /(?:\bimport\s*\(|\bnew URL\(|import\.meta\.resolve\()\s*(['"])([^'"\n]+)\1/g

export function parseImports(file: SourceFile): readonly Import[] {
  const text = blank(file.text, { strings: true })
  const found = (index: number, specifier = '', names = [ALL], isReexport = false): Import => ({
    from: file.path,
    line: lineAt(text, index + (/^\s*/.exec(text.slice(index))?.[0].length ?? 0)),
    specifier,
    names,
    isReexport,
  })
  return [
    ...Array.from(text.matchAll(STATEMENT), ({ index, 1: keyword, 2: clause = '', 4: specifier }) =>
      found(index, specifier, namesIn(clause), keyword === 'export'),
    ),
    ...Array.from(text.matchAll(BARE), ({ index, 2: specifier }) => found(index, specifier, [])),
    ...Array.from(text.matchAll(DYNAMIC), ({ index, 2: specifier }) => found(index, specifier)),
  ]
}

function namesIn(clause: string): ImportedName[] {
  const listed = (/\{([^}]*)\}/.exec(clause)?.[1] ?? '').split(',').flatMap((each) => {
    const [name, alias = name] = each
      .trim()
      .replace(/^type\s+/, '')
      .split(/\s+as\s+/)
    return name && alias ? [{ name, alias }] : []
  })
  const rest = clause.replace(/\{[^}]*\}/, '')
  if (rest.includes('*')) return [ALL]
  return /\w/.test(rest) ? [{ name: 'default', alias: rest.trim() }, ...listed] : listed
}

/** Where a relative specifier leads, relative to the root; undefined for packages. */
export const resolveRelative = ({ from, specifier }: Import): string | undefined =>
  specifier.startsWith('.') ? join(dirname(from), specifier) : undefined

/** The folder name below packages/, or undefined. */
export const packageOf = (path: string): string | undefined => /^packages\/([^/]+)\//.exec(path)?.[1]
