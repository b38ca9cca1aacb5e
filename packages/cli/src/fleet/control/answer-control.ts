import { ApiError, methodNotAllowed } from '@strata/api'
import { type HttpRequest, type HttpResponse, utf8 } from '@strata/world'
import type { SceneView } from '../state/fleet-state.ts'
import { answerJson, answerPlayground } from './answer-playground.ts'
import type { Playground } from './create-playground.ts'

/** Only on the socket: a dashboard user cannot create sign-in links. */
export const signInLinkPath = '/control/v1/sign-in-link'
/** A scene is played by the command; it tells the fleet, for the dashboard. */
export const scenePath = '/control/v1/scene'

export interface Control {
  readonly playground: Playground
  /** An address of the dashboard that signs in once; undefined if the fleet has no dashboard. */
  readonly createLink: (() => string) | undefined
  readonly tellScene: (view: SceneView) => void
}

/** What the user of the fleet can ask for beside the playground. The caller has authenticated the request. */
export async function answerControl(
  { playground, createLink, tellScene }: Control,
  request: Omit<HttpRequest, 'headers'>,
): Promise<HttpResponse> {
  if (request.target === scenePath) {
    if (request.method !== 'PUT') return refuse(methodNotAllowed(`${request.method} ${scenePath}`))
    // Only the command of the same program sends it.
    tellScene(JSON.parse(utf8.decode(request.body ?? new Uint8Array())) as SceneView)
    return answerJson(200, {})
  }
  if (request.target !== signInLinkPath) return answerPlayground(playground, request)
  if (request.method !== 'POST') return refuse(methodNotAllowed(`${request.method} ${signInLinkPath}`))
  if (!createLink) return refuse(noDashboard())
  return answerJson(200, { link: createLink() })
}

const refuse = ({ code, status }: ApiError): HttpResponse => answerJson(code, status)

const noDashboard = (): ApiError =>
  new ApiError(
    404,
    'NotFound',
    'the fleet has no dashboard: it was started with --no-dashboard. "strata dashboard" serves one for its kubeconfig',
  )
