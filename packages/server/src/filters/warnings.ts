import type { Filter } from './filter.ts'

/** As upstream: beyond this many characters in total, each warning is cut; beyond that again, the rest is dropped. */
const totalLimit = 4096
const itemLimit = 256

/** What handlers had to say besides their answer, as headers, each once; kubectl shows them. */
export function warnings(): Filter {
  return async (context, next) => {
    const response = await next(context)
    if (context.warnings.length === 0) return response
    return { ...response, headers: { ...response.headers, warning: warningHeaders(context.warnings) } }
  }
}

export function warningHeaders(texts: readonly string[]): readonly string[] {
  const all = [...new Set(texts)].map(withoutControls).filter((text) => text !== '')
  const total = all.reduce((sum, text) => sum + [...text].length, 0)
  const shown = total > totalLimit ? all.map((text) => [...text].slice(0, itemLimit).join('')) : all
  const headers: string[] = []
  let written = 0
  for (const text of shown) {
    written += [...text].length
    if (written > totalLimit) break
    headers.push(`299 - "${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`)
  }
  return headers
}

/** A line break would end the header, and what follows would be read as another one. */
function withoutControls(text: string): string {
  return encodeForHeader(text.replaceAll(/\p{Cc}/gu, ' ').trim())
}

/** A header carries bytes; the client reads them as UTF-8 again. */
function encodeForHeader(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}
