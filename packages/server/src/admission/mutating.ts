import {
  type ApiObject,
  applyJsonPatch,
  isJsonObject,
  type JsonObject,
  jsonEqual,
  PatchError,
  parseSent,
} from '@strata/api'
import { describeUnparsed } from '../codec/index.ts'
import type { HookAnswer, Invocation } from './admission-review.ts'
import { type AskParts, askHook } from './ask-hook.ts'
import { HookFailed } from './call-hook.ts'
import { meetsConditions } from './conditions.ts'
import type { Hook } from './hook.ts'
import { admissionFailure } from './refusal.ts'
import { Reinvocation } from './reinvocation.ts'
import type { AdmissionRequest, AdmittedResource } from './request.ts'

/** A webhook, and the resource as which it sees the request. */
export interface Candidate {
  readonly hook: Hook
  readonly target: AdmittedResource
  /** Its position among all webhooks of its type, for the audit log. */
  readonly index: number
}

export interface DispatchParts extends AskParts {
  /** Whether its selectors match these objects. */
  readonly selects: (
    candidate: Candidate,
    request: AdmissionRequest,
    object: ApiObject | undefined,
    oldObject: ApiObject | undefined,
  ) => Promise<boolean>
  readonly convert: (object: ApiObject, from: AdmittedResource, to: AdmittedResource) => Promise<ApiObject>
  /** Decodes a patched object: without unknown fields, and with defaults. */
  readonly decode: (object: JsonObject, resource: AdmittedResource) => ApiObject
}

/**
 * Calls the webhooks one after the other, each with the object as the previous ones changed it. Resolves to that object in the
 * version of the request, or to undefined if it is unchanged.
 */
export async function dispatchMutating(
  parts: DispatchParts,
  request: AdmissionRequest,
  candidates: readonly Candidate[],
): Promise<ApiObject | undefined> {
  const state = new Draft(parts, request)
  const again = new Reinvocation()
  for (const round of [0, 1]) {
    if (round === 1 && !again.isNeeded) break
    for (const candidate of candidates) {
      const { hook, target, index } = candidate
      if (round === 1 && !again.isWanted(hook.id)) continue
      if (!(await parts.selects(candidate, request, state.object, state.oldObject))) continue
      await state.as(target)
      if (!meetsConditions(hook, state.invocation(target))) continue
      const place = `round_${round}_index_${index}`
      const changed = await state.ask(candidate, place)
      again.note(hook.id, { changed, wantsAgain: hook.webhook.reinvocationPolicy === 'IfNeeded' })
    }
  }
  return state.result()
}

/** An object between webhook calls, in the version of the last call. */
class Draft {
  readonly #parts: DispatchParts
  readonly #request: AdmissionRequest
  #as: AdmittedResource
  object: ApiObject | undefined
  oldObject: ApiObject | undefined
  #isChanged = false

  constructor(parts: DispatchParts, request: AdmissionRequest) {
    this.#parts = parts
    this.#request = request
    this.#as = request.resource
    this.object = request.object()
    this.oldObject = request.oldObject()
  }

  /** The kind of a subresource is the same in every version. */
  get #isOther(): boolean {
    return this.#request.shown.definition !== this.#request.resource.definition
  }

  async as(target: AdmittedResource): Promise<void> {
    const from = this.#as
    if (from.apiVersion !== target.apiVersion && !this.#isOther) {
      const { convert } = this.#parts
      this.object = this.object && (await convert(this.object, from, target))
      this.oldObject = this.oldObject && (await convert(this.oldObject, from, target))
    }
    this.#as = target
  }

  invocation(target: AdmittedResource): Invocation {
    return { request: this.#request, target, object: this.object, oldObject: this.oldObject }
  }

  /** True if the webhook has changed the object. */
  async ask({ hook, target }: Candidate, place: string): Promise<boolean> {
    const { annotate } = this.#request
    const invocation = this.invocation(target)
    let changed = false
    try {
      await askHook(this.#parts, hook, invocation, {
        isMutating: true,
        failedOpenKey: `failed-open.mutation.webhook.admission.k8s.io/${place}`,
        use: (answer) => {
          changed = this.#take(hook, answer, place)
        },
      })
    } finally {
      const value = { configuration: hook.configuration, webhook: hook.name, mutated: changed }
      annotate?.(`mutation.webhook.admission.k8s.io/${place}`, JSON.stringify(value), 'Metadata')
    }
    return changed
  }

  #take(hook: Hook, { patch, patchType }: HookAnswer, place: string): boolean {
    const operations = patch === undefined ? [] : parsePatch(hook, patch)
    if (operations.length === 0) return false
    const before = this.object
    if (!before) {
      throw admissionFailure(
        `admission webhook ${JSON.stringify(hook.name)} attempted to modify the object, which is not supported for this operation`,
      )
    }
    if (patchType !== 'JSONPatch')
      throw new HookFailed(hook, `unsupported patch type ${JSON.stringify(patchType)}`)
    const resource = this.#isOther ? this.#request.shown : this.#as
    const next = this.#parts.decode(applied(before, operations), resource)
    const { configuration, name: webhook } = hook
    const value = JSON.stringify({ configuration, webhook, patch: operations, patchType })
    this.#request.annotate?.(`patch.webhook.admission.k8s.io/${place}`, value, 'Request')
    this.object = next
    if (jsonEqual(before, next)) return false
    this.#isChanged = true
    return true
  }

  async result(): Promise<ApiObject | undefined> {
    if (!this.#isChanged) return undefined
    const { resource } = this.#request
    if (this.#as.apiVersion === resource.apiVersion || this.#isOther) return this.object
    await this.as(resource)
    return this.object && this.#parts.decode(this.object, resource)
  }
}

function parsePatch(hook: Hook, text: string): readonly JsonObject[] {
  const undecodable = (why: string) =>
    new HookFailed(hook, `received undecodable patch in webhook response: ${why}`)
  let patch: unknown
  try {
    patch = parseSent(text)
  } catch (error) {
    throw undecodable(describeUnparsed(error, text))
  }
  if (patch === null) return []
  if (!Array.isArray(patch) || !patch.every(isJsonObject)) {
    throw undecodable('json: cannot unmarshal into Go value of type jsonpatch.Patch')
  }
  return patch
}

function applied(object: ApiObject, operations: readonly JsonObject[]): JsonObject {
  try {
    const patched = applyJsonPatch(object, operations)
    if (isJsonObject(patched)) return patched
    throw admissionFailure('the patch of a webhook turned the object into something that is not an object')
  } catch (error) {
    if (error instanceof PatchError) throw admissionFailure(error.message)
    throw error
  }
}
