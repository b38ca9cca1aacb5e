import type { Clock, Log } from '@strata/world'
import type { HookAnswer, Invocation } from './admission-review.ts'
import { type CallParts, callHook, HookFailed } from './call-hook.ts'
import type { Hook } from './hook.ts'
import { AdmissionRefusal, admissionFailure } from './refusal.ts'
import type { Operation } from './request.ts'

/** The outcome of one webhook call, for metrics. */
export interface HookOutcome {
  readonly name: string
  readonly type: 'admit' | 'validating'
  readonly operation: Operation
  /** The code of the response, or the code used without one. */
  readonly code: number
  readonly seconds: number
  /** Why the request is rejected; undefined if it is not. */
  readonly rejectedBy: 'no_error' | 'calling_webhook_error' | 'apiserver_internal_error' | undefined
  readonly failedOpen: boolean
}

export interface AskParts extends CallParts {
  readonly clock: Clock
  readonly log: Log
  readonly observe: (outcome: HookOutcome) => void
}

/** Upstream's code for a webhook that cannot be called. */
const noAnswerCode = 503

/**
 * Calls a webhook and uses its response. Undefined if the call failed and its failurePolicy is Ignore, which is annotated under
 * `failedOpenKey`. Throws an AdmissionRefusal if the failurePolicy is Fail, or the webhook denies the request.
 */
export async function askHook<T>(
  parts: AskParts,
  hook: Hook,
  invocation: Invocation,
  how: {
    readonly isMutating: boolean
    readonly failedOpenKey: string
    readonly use: (answer: HookAnswer) => T
  },
): Promise<T | undefined> {
  const { clock, log, observe } = parts
  const { operation, annotate, signal } = invocation.request
  const began = clock.monotonicMs()
  const note = (code: number, rejectedBy: HookOutcome['rejectedBy'], failedOpen = false): void =>
    observe({
      ...{ name: hook.name, type: how.isMutating ? 'admit' : 'validating', operation, code },
      ...{ seconds: (clock.monotonicMs() - began) / 1000, rejectedBy, failedOpen },
    })
  try {
    const used = how.use(await callHook(parts, hook, invocation, how.isMutating))
    note(200, undefined)
    return used
  } catch (error) {
    // The request was aborted: that says nothing about the webhook.
    if (signal.aborted && error === signal.reason) throw error
    if (!(error instanceof HookFailed)) {
      const isDenial = error instanceof AdmissionRefusal && error.isDenial
      note(isDenial ? error.code : 0, isDenial ? 'no_error' : 'apiserver_internal_error')
      throw error
    }
    note(noAnswerCode, hook.failsOpen ? undefined : 'calling_webhook_error', hook.failsOpen)
    if (!hook.failsOpen) throw admissionFailure(error.message)
    log.warn('a webhook failed and is ignored, by its failurePolicy', {
      webhook: hook.name,
      error: error.message,
    })
    annotate?.(how.failedOpenKey, hook.name, 'Metadata')
    return undefined
  }
}
