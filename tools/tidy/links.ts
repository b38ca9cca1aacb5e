import { dirname, join } from 'node:path/posix'
import type { Rule, SourceFile } from './source.ts'

const LINK = /!?\[[^\]\n]*\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g
const CODE = /^```[\s\S]*?^```|`[^`\n]*`/gm

/** Relative links in documents lead to something that is there; a link to a section of a document, to a heading. */
export const documentLinks: Rule = (files) => {
  const known = new Set(files.flatMap(({ path }) => ancestors(path)))
  const documents = files.filter(({ path }) => path.endsWith('.md'))
  const anchors = new Map(documents.map(({ path, text }) => [path, anchorsOf(text)]))
  return documents.flatMap((file) =>
    linksOf(file).flatMap(({ target, path, anchor, line }) => {
      const problem = { rule: 'links', path: file.path, line }
      if (!known.has(path)) return [{ ...problem, message: `${target} leads nowhere` }]
      const found = anchors.get(path)
      if (anchor === '' || found === undefined || found.has(anchor)) return []
      return [{ ...problem, message: `${target}: ${path} has no heading for #${anchor}` }]
    }),
  )
}

export interface DocumentLink {
  /** As it is written. */
  readonly target: string
  /** Relative to the root of the repository. */
  readonly path: string
  /** Without its #; may be empty. */
  readonly anchor: string
  readonly line: number
}

/** The links of a document to files of the repository, and to sections. */
export function linksOf(file: SourceFile): readonly DocumentLink[] {
  return placedLinksOf(file).map(({ link }) => link)
}

/** The text of a document with other targets for these links. */
export function replaceLinks(file: SourceFile, targetOf: (link: DocumentLink) => string): string {
  let text = ''
  let end = 0
  for (const { link, index } of placedLinksOf(file)) {
    text += `${file.text.slice(end, index)}${targetOf(link)}`
    end = index + link.target.length
  }
  return text + file.text.slice(end)
}

interface PlacedLink {
  readonly link: DocumentLink
  /** Of the target in the text. */
  readonly index: number
}

function placedLinksOf(file: SourceFile): readonly PlacedLink[] {
  // Links in code are code.
  const text = file.text.replaceAll(CODE, (code) => code.replaceAll(/[^\n]/g, ' '))
  return Array.from(text.matchAll(LINK)).flatMap((match) => {
    const { 0: whole, index: start, 1: target = '' } = match
    if (/^[a-z]+:/i.test(target)) return []
    const [, written = '', anchor = ''] = /^([^#?]*)(?:\?[^#]*)?(?:#(.*))?$/.exec(target) ?? []
    const line = text.slice(0, start).split('\n').length
    const path = resolvePath(file.path, written)
    const link = { target, path, anchor: decodeURIComponent(anchor), line }
    return [{ link, index: start + whole.indexOf(`](`) + whole.slice(whole.indexOf('](')).indexOf(target) }]
  })
}

function resolvePath(from: string, written: string): string {
  if (written === '') return from
  const path = written.startsWith('/') ? written.slice(1) : join(dirname(from), decodeURIComponent(written))
  return path.replace(/\/$/, '')
}

/** What may stand behind # in a link to this document, as GitHub names its headings. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const fences = /^```[\s\S]*?^```/gm
  const slugs = Array.from(
    text.replaceAll(fences, '').matchAll(/^#{1,6}\s+(.*?)\s*#*$/gm),
    ([, title = '']) => slugOf(title),
  )
  const seen = new Map<string, number>()
  return new Set(
    slugs.map((slug) => {
      const count = seen.get(slug) ?? 0
      seen.set(slug, count + 1)
      return count === 0 ? slug : `${slug}-${count}`
    }),
  )
}

/** The name of a heading, as GitHub makes it: letters, numbers, hyphens and underscores of its text. */
export function slugOf(title: string): string {
  return title
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
}

function ancestors(path: string): readonly string[] {
  const parts = path.split('/')
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}
