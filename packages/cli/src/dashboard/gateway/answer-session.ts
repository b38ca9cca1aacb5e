import { ApiError } from '@strata/api'
import { type HttpResponse, utf8 } from '@strata/world'
import { answerError, answerJson } from './answers.ts'
import { signInHint } from './deny-request.ts'
import { bearerOf, type GatewayRequest } from './gateway-request.ts'
import type { SignIn } from './sign-in.ts'

/** What the page is told of its session, beside the token. */
export interface SessionFacts {
  /** As the cluster names the user of the kubeconfig; '' if it does not say. */
  readonly user: string
  /** The name of the cluster, for the title. */
  readonly cluster: string
  readonly allowWrites: boolean
  readonly playground: boolean
}

const bodyBytes = 4 * 1024

/**
 * GET says whether the token is good; it always answers 200, so that a page that starts causes no error. POST exchanges the code
 * of a sign-in link for a token. DELETE signs out.
 */
export async function answerSession(
  request: GatewayRequest,
  signIn: SignIn,
  readFacts: (signal: AbortSignal) => Promise<SessionFacts>,
): Promise<HttpResponse> {
  const token = bearerOf(request)
  if (request.method === 'DELETE') {
    signIn.end(token)
    return answerJson(200, { kind: 'gateway', signedIn: false })
  }
  if (request.method === 'GET') {
    if (!signIn.isOpen(token)) return answerJson(200, { kind: 'gateway', signedIn: false })
    return answerJson(200, { kind: 'gateway', signedIn: true, ...(await readFacts(request.signal)) })
  }
  const exchange = signIn.exchange(readCode(await request.readBody(bodyBytes)))
  switch (exchange.outcome) {
    case 'signed-in': {
      const facts = await readFacts(request.signal)
      return answerJson(200, { kind: 'gateway', signedIn: true, token: exchange.token, ...facts })
    }
    case 'refused':
      return answerError(
        new ApiError(
          401,
          'Unauthorized',
          `the sign-in link was used, or is older than two minutes: ${signInHint}`,
        ),
      )
    case 'too-many-tries': {
      const { retryAfterSeconds } = exchange
      const message = `too many tries to sign in; try again in ${retryAfterSeconds} s`
      return answerError(new ApiError(429, 'TooManyRequests', message, { retryAfterSeconds }))
    }
  }
}

/** A wrong body is a wrong code. */
function readCode(body: Uint8Array): string {
  try {
    const { code } = JSON.parse(utf8.decode(body)) as { readonly code?: unknown }
    return typeof code === 'string' ? code : ''
  } catch {
    return ''
  }
}
