import { posix } from 'node:path'
import type { SourceFile } from '../tidy/source.ts'

/** What is wrong with the built site: links that lead nowhere, and whatever a browser would load from elsewhere. */
export function problemsOf(pages: readonly SourceFile[], files: ReadonlySet<string>): readonly string[] {
  const ids = new Map(pages.map(({ path, text }) => [path, idsOf(text)]))
  return pages.flatMap(({ path, text }) => [
    ...loadedFrom(text).map((url) => `${path} loads ${url}`),
    ...linksOfPage(text).flatMap((href) => {
      const [address = '', anchor = ''] = href.split('#')
      const target = address === '' ? path : fileOf(path, address)
      if (!files.has(target)) return [`${path}: ${href} leads nowhere`]
      const found = ids.get(target)
      return anchor === '' || found === undefined || found.has(decodeURIComponent(anchor))
        ? []
        : [`${path}: ${href}: there is no such section`]
    }),
  ])
}

function fileOf(from: string, address: string): string {
  const path = decodeURIComponent(address.replace(/\?.*$/, ''))
  const resolved = path.startsWith('/') ? path.slice(1) : posix.join(posix.dirname(from), path)
  if (resolved === '' || resolved.endsWith('/')) return `${resolved}index.html`
  return /\.[a-z0-9]+$/i.test(resolved) ? resolved : `${resolved}.html`
}

const idsOf = (html: string): ReadonlySet<string> =>
  new Set(Array.from(html.matchAll(/\sid="([^"]*)"/g), ([, id = '']) => unescaped(id)))

/** Links to other places are for people: a browser loads nothing by them. */
const linksOfPage = (html: string): readonly string[] =>
  Array.from(html.matchAll(/\s(?:href|src)="([^"]*)"/g), ([, href = '']) => unescaped(href)).filter(
    (href) => !/^(?:[a-z]+:|\/\/)/i.test(href),
  )

const loadedFrom = (html: string): readonly string[] =>
  Array.from(
    html.matchAll(/<(?:script|img|iframe|link|source|video)\b[^>]*\s(?:href|src)="((?:https?:)?\/\/[^"]*)"/g),
    ([, url = '']) => url,
  )

const unescaped = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
