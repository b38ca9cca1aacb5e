import { type Random, uuid } from '@strata/world'
import { WebhookCallFailed, type WebhookClient } from '../webhooks/index.ts'
import {
  admissionReview,
  chooseReviewVersion,
  type HookAnswer,
  type Invocation,
  ReviewProblem,
  readAnswer,
} from './admission-review.ts'
import type { Hook } from './hook.ts'
import { AdmissionRefusal, denial } from './refusal.ts'

/** A webhook could not be called, or gave no response. Its failurePolicy decides the consequence. */
export class HookFailed extends Error {
  override readonly name = 'HookFailed'
  constructor(hook: Hook, reason: string, options?: ErrorOptions) {
    super(`failed calling webhook ${JSON.stringify(hook.name)}: ${reason}`, options)
  }
}

export interface CallParts {
  readonly client: WebhookClient
  readonly random: Random
}

/** Far more than any patch of a storable object. */
const maxResponseBytes = 16 * 1024 * 1024
const defaultTimeoutSeconds = 10

/** Calls one webhook. Throws HookFailed, or an AdmissionRefusal if it denies the request. */
export async function callHook(
  { client, random }: CallParts,
  hook: Hook,
  invocation: Invocation,
  isMutating: boolean,
): Promise<HookAnswer> {
  const { request } = invocation
  const { sideEffects, timeoutSeconds, admissionReviewVersions, clientConfig } = hook.webhook
  if (request.dryRun && sideEffects !== 'None' && sideEffects !== 'NoneOnDryRun') {
    const message = `admission webhook ${JSON.stringify(hook.name)} does not support dry run`
    throw new AdmissionRefusal(400, 'BadRequest', message)
  }
  const reviewVersion = chooseReviewVersion(admissionReviewVersions ?? [])
  if (!reviewVersion) {
    const why = 'webhook does not accept known AdmissionReview versions (v1, v1beta1)'
    throw new HookFailed(hook, `could not create admission objects: ${why}`)
  }
  const uid = uuid(random)
  let answer: HookAnswer
  try {
    const review = await client({
      config: clientConfig ?? {},
      body: Buffer.from(JSON.stringify(admissionReview(reviewVersion, uid, invocation))),
      timeoutMs: (timeoutSeconds ?? defaultTimeoutSeconds) * 1000,
      maxResponseBytes,
      signal: request.signal,
    })
    answer = readAnswer(review, reviewVersion, uid, isMutating)
  } catch (error) {
    if (error instanceof WebhookCallFailed || (error instanceof ReviewProblem && !error.isDecoded)) {
      throw new HookFailed(hook, `failed to call webhook: ${error.message}`, { cause: error })
    }
    if (!(error instanceof ReviewProblem)) throw error
    throw new HookFailed(hook, `received invalid webhook response: ${error.message}`, { cause: error })
  }
  for (const [key, value] of Object.entries(answer.auditAnnotations)) {
    request.annotate?.(`${hook.name}/${key}`, value, 'Metadata')
  }
  request.warnings.push(...answer.warnings)
  if (!answer.allowed) throw denial(hook.name, answer.result)
  return answer
}
