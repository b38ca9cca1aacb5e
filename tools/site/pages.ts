import { dirname, relative } from 'node:path/posix'
import { replaceLinks } from '../tidy/links.ts'
import type { SourceFile } from '../tidy/source.ts'

/** What the generator gets: Markdown pages, and pictures as they are, by their path in the site's source. */
export interface SiteSource {
  readonly pages: readonly SourceFile[]
  readonly pictures: readonly string[]
}

const isDocument = (path: string): boolean => path.endsWith('.md')
const isPicture = (path: string): boolean => /\.(?:svg|png)$/.test(path)

/**
 * The documents of the repository, in its layout, and a page for each file and folder that they link to. So every link leads to a
 * page of the site, and none to another place.
 */
export function siteSource(documents: readonly SourceFile[], others: Repository): SiteSource {
  const pages = new Map<string, string>()
  const pictures = new Set<string>()
  const known = new Set(documents.map(({ path }) => path))
  for (const document of documents) {
    const { path } = document
    const text = replaceLinks(document, ({ path: target, anchor }) => {
      if (isPicture(target)) pictures.add(target)
      else if (!known.has(target) && !pages.has(pageOf(target, others)))
        pages.set(pageOf(target, others), showFileOrFolder(target, others))
      const to = isPicture(target) ? target : pageOf(target, others)
      const section = isDocument(target) && anchor !== '' ? `#${anchor}` : ''
      return target === path && section !== '' ? section : `${relativeTo(pageOf(path, others), to)}${section}`
    })
    pages.set(pageOf(path, others), text)
  }
  return { pages: Array.from(pages, ([path, text]) => ({ path, text })), pictures: [...pictures].sort() }
}

/** What is read of the repository besides its documents. */
export interface Repository {
  read(path: string): string
  /** The files of a folder, by name; undefined if it is none. */
  list(path: string): readonly string[] | undefined
}

/** A README is the page of its folder. */
function pageOf(path: string, { list }: Repository): string {
  if (isDocument(path)) return path.replace(/(^|\/)README\.md$/, '$1index.md')
  return list(path) === undefined ? `${path}.md` : `${path}/index.md`
}

function relativeTo(from: string, to: string): string {
  const path = relative(dirname(from), to)
  return path.startsWith('.') ? path : `./${path}`
}

function showFileOrFolder(path: string, { read, list }: Repository): string {
  const names = list(path)
  // What is shown only because a page links to it would bury the pages in the search.
  const title = `---\nsearch: false\n---\n\n# ${path}\n\n`
  if (names !== undefined) return `${title}${names.map((name) => `- \`${name}\`\n`).join('')}`
  const text = read(path)
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${title}${fence}${languageOf(path)}\n${text.replace(/\n$/, '')}\n${fence}\n`
}

function languageOf(path: string): string {
  const ending = path.split('.').at(-1) ?? ''
  return ['ts', 'mjs', 'json', 'yaml', 'py', 'go', 'sh', 'cue'].includes(ending) ? ending : 'text'
}
