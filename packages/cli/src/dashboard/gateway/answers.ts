import type { ApiError, Status } from '@strata/api'
import { type HttpResponse, utf8 } from '@strata/world'

/** Data is not kept by the browser, and is nothing but data to it. */
export const dataHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
}

export const answerJson = (status: number, value: unknown): HttpResponse => ({
  status,
  headers: { ...dataHeaders, 'content-type': 'application/json' },
  body: utf8.encode(JSON.stringify(value)),
})

export function answerError({ code, status }: ApiError): HttpResponse {
  const answer = answerJson(code, status)
  const seconds = (status as Status).details?.retryAfterSeconds
  return seconds === undefined
    ? answer
    : { ...answer, headers: { ...answer.headers, 'retry-after': String(seconds) } }
}
