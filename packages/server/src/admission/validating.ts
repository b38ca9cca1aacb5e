import type { ApiObject } from '@strata/api'
import { askHook } from './ask-hook.ts'
import { meetsConditions } from './conditions.ts'
import type { Candidate, DispatchParts } from './mutating.ts'
import type { AdmissionRequest, AdmittedResource } from './request.ts'

interface Shown {
  readonly object: ApiObject | undefined
  readonly oldObject: ApiObject | undefined
}

/** Calls all webhooks at once. If several refuse, the first of them in order decides. */
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
    if (meetsConditions(candidate.hook, { request, target, ...shown })) asked.push({ candidate, shown })
  }
  const outcomes = await Promise.allSettled(
    asked.map(({ candidate: { hook, target }, shown }, index) =>
      askHook(
        parts,
        hook,
        { request, target, ...shown },
        {
          isMutating: false,
          failedOpenKey: `failed-open.validating.webhook.admission.k8s.io/round_0_index_${index}`,
          use: () => {},
        },
      ),
    ),
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
