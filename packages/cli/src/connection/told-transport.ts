import type { Clock, HttpRequest, HttpResponse, Transport } from '@strata/world'

/** With -v: tells each request, how it was answered, and after which time. Nothing of the body: it may be a Secret. */
export function tellRequests<T extends Transport>(
  transport: T,
  clock: Clock,
  tell: (text: string) => void,
): T {
  const send = async (request: HttpRequest): Promise<HttpResponse> => {
    const startedMs = clock.monotonicMs()
    const took = (): string => `${Math.round(clock.monotonicMs() - startedMs)} ms`
    try {
      const response = await transport(request)
      tell(`${request.method} ${request.target} ${response.status} in ${took()}`)
      return response
    } catch (error) {
      tell(`${request.method} ${request.target} failed after ${took()}: ${(error as Error).message}`)
      throw error
    }
  }
  return Object.assign(send, transport) as T
}
