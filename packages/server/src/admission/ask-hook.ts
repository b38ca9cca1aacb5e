import type { Clock, Log } from '@strata/world'
import type { HookAnswer, Invocation } from './admission-review.ts'
import { type CallParts, callHook, HookFailed } from './call-hook.ts'
import type { Hook } from './hook.ts'
import { AdmissionRefusal, admissionFailure } from './refusal.ts'
import type { Operation } from './request.ts'

/** How it went with one webhook, for those who count. */
export interface HookOutcome {
  readonly name: string
  readonly type: 'admit' | 'validating'
  readonly operation: Operation
  /** Of the answer, or of what was made of there being none. */
  readonly code: number
  readonly seconds: number
  /** Why the request goes no further; undefined if it does. */
  readonly rejectedBy: 'no_error' | 'calling_webhook_error' | 'apiserver_internal_error' | undefined
  readonly failedOpen: boolean
}

export interface AskParts extends CallParts {
  readonly clock: Clock
  readonly log: Log
  readonly observe: (outcome: HookOutcome) => void
}

/** What upstream makes of a webhook that cannot be asked. */
const noAnswerCode = 503

/**
 * Asks a webhook and makes use of its answer. Undefined if it has failed and may be passed over, which is then written
 * down under `failedOpenKey`; throws an AdmissionRefusal if it has failed and may not, or denies the request.
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
    // Nobody waits for it any more: that says nothing about the webhook.
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
