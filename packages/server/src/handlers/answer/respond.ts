import type { HttpResponse } from '@strata/world'

const jsonHeaders = { 'content-type': 'application/json' } as const
const textHeaders = {
  'content-type': 'text/plain; charset=utf-8',
  'x-content-type-options': 'nosniff',
} as const

export function respondBytes(status: number, body: Uint8Array): HttpResponse {
  return { status, headers: jsonHeaders, body }
}

export function respondJson(status: number, value: unknown): HttpResponse {
  return respondBytes(status, Buffer.from(`${JSON.stringify(value)}\n`))
}

export function respondText(status: number, text: string): HttpResponse {
  return { status, headers: textHeaders, body: Buffer.from(text) }
}

export function respondStream(body: AsyncIterable<Uint8Array>): HttpResponse {
  return { status: 200, headers: jsonHeaders, body }
}

/** Outside of the API an unknown path is answered with plain text, as upstream. */
export const notFoundText = (): HttpResponse => respondText(404, '404 page not found\n')
