import { ApiError } from '@strata/api'
import type { Denial } from './decide-request.ts'

/** How a user gets another sign-in link; the gateway's owner knows. */
export const signInHint = 'open the sign-in link that the terminal shows'

const denials: Readonly<Record<Denial, readonly [code: number, reason: string, message: string]>> = {
  WrongHost: [
    421,
    'MisdirectedRequest',
    'the dashboard is served as 127.0.0.1 or localhost only: use the address that the terminal shows',
  ],
  OtherOrigin: [
    403,
    'Forbidden',
    'the request comes from a page of another origin: only the dashboard itself may send it',
  ],
  MethodNotAllowed: [405, 'MethodNotAllowed', 'this address does not allow the method'],
  NotFound: [
    404,
    'NotFound',
    'the dashboard has no such address: it passes on /api, /apis, /openapi and /version',
  ],
  NotSignedIn: [
    401,
    'Unauthorized',
    `not signed in, or signed in to a dashboard that has ended: ${signInHint}`,
  ],
  ReadOnly: [
    403,
    'Forbidden',
    'this dashboard is read-only: start it with --allow-writes, or use the command that the page shows',
  ],
  NotPassedOn: [403, 'Forbidden', 'the dashboard passes nothing on to containers, pods, services and nodes'],
  Secrets: [
    403,
    'Forbidden',
    'the dashboard passes nothing on about Secrets and tokens of service accounts: use kubectl',
  ],
}

/** The error that a client gets. */
export function denyRequest(denial: Denial): ApiError {
  const [code, reason, message] = denials[denial]
  return new ApiError(code, reason, message)
}
