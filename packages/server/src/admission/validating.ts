import type { ApiObject } from '@strata/api'
import { callHook, HookFailed } from './call-hook.ts'
import type { Candidate, DispatchParts } from './mutating.ts'
import { admissionFailure } from './refusal.ts'
import type { AdmissionRequest, AdmittedResource } from './request.ts'

interface Shown {
  readonly object: ApiObject | undefined
  readonly oldObject: ApiObject | undefined
}

/** Asks all webhooks at once. If several refuse, the first of them in their order is heard. */
export async function dispatchValidating(
  parts: DispatchParts,
  request: AdmissionRequest,
  candidates: readonly Candidate[],
): Promise<void> {
  const [object, oldObject] = [request.object(), request.oldObject()]
  const versions = new Map<string, Shown>()
  const asked: Array<{ readonly candidate: Candidate; readonly shown: Shown }> = []
  for (const candidate of candidates) {
    const { target } = candidate
    if (!(await parts.selects(candidate, request, object, oldObject))) continue
    const shown =
      versions.get(target.apiVersion) ?? (await showAs(parts, request, { object, oldObject }, target))
    versions.set(target.apiVersion, shown)
    asked.push({ candidate, shown })
  }
  const outcomes = await Promise.allSettled(
    asked.map(({ candidate, shown }, index) => ask(parts, request, candidate, shown, index)),
  )
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}

async function showAs(
  { convert }: DispatchParts,
  { resource, shown }: AdmissionRequest,
  { object, oldObject }: Shown,
  target: AdmittedResource,
): Promise<Shown> {
  const isSame = target.apiVersion === resource.apiVersion || shown.definition !== resource.definition
  if (isSame) return { object, oldObject }
  return {
    object: object && (await convert(object, resource, target)),
    oldObject: oldObject && (await convert(oldObject, resource, target)),
  }
}

async function ask(
  parts: DispatchParts,
  request: AdmissionRequest,
  { hook, target }: Candidate,
  shown: Shown,
  index: number,
): Promise<void> {
  try {
    await callHook(parts, hook, { request, target, ...shown }, false)
  } catch (error) {
    if (!(error instanceof HookFailed)) throw error
    if (!hook.failsOpen) throw admissionFailure(error.message)
    parts.log.warn('a webhook failed and is passed over', { webhook: hook.name, error: error.message })
    const key = `failed-open.validating.webhook.admission.k8s.io/round_0_index_${index}`
    request.annotate?.(key, hook.name, 'Metadata')
  }
}
