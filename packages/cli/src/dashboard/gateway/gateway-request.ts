import type { HttpRequest } from '@strata/world'

/** A request of a browser, before its body is read. */
export interface GatewayRequest extends Omit<HttpRequest, 'body'> {
  /** Throws an ApiError if the body is longer. */
  readonly readBody: (limitBytes: number) => Promise<Uint8Array>
}

/** The first value of a header. */
export function headerOf({ headers }: Pick<HttpRequest, 'headers'>, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : value?.[0]
}

/** The token of `Authorization: Bearer …`, or ''. */
export const bearerOf = (request: Pick<HttpRequest, 'headers'>): string =>
  /^Bearer ([\w-]{1,128})$/i.exec(headerOf(request, 'authorization') ?? '')?.[1] ?? ''
