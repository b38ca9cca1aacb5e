import type { Filter } from './filter.ts'

/**
 * As upstream, in characters: if all warnings together exceed `totalLimit`, each is cut to `itemLimit`. The first one that
 * still exceeds the total, and all after it, are dropped.
 */
const totalLimit = 4096
const itemLimit = 256

/** Sends the warnings of handlers as headers, each once. kubectl shows them. */
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

/** A line break would end the header and start another one. */
function withoutControls(text: string): string {
  return encodeForHeader(text.replaceAll(/\p{Cc}/gu, ' ').trim())
}

/** A header carries bytes, which the client reads as UTF-8. */
function encodeForHeader(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}
