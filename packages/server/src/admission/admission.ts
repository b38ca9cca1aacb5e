import {
  type ApiObject,
  admissionRegistrationGroup,
  cloneJson,
  isKind,
  type JsonObject,
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
  type WebhookConfiguration,
} from '@strata/api'
import type { Clock, Log, Random } from '@strata/world'
import { type Codec, whenConverted } from '../codec/index.ts'
import { followObjects, type WatchCache } from '../watch-cache/index.ts'
import type { WebhookClient } from '../webhooks/index.ts'
import type { HookOutcome } from './ask-hook.ts'
import { type Hook, hooksOf, inOrder } from './hook.ts'
import { type EquivalentsOf, type Labels, selectsNamespace, selectsObject, targetFor } from './match.ts'
import { type Candidate, type DispatchParts, dispatchMutating } from './mutating.ts'
import type { AdmissionRequest, AdmittedResource } from './request.ts'
import { dispatchValidating } from './validating.ts'

export interface AdmissionOptions {
  readonly client: WebhookClient
  readonly random: Random
  readonly log: Log
  readonly clock: Clock
  /** Called with the outcome of each webhook call. */
  readonly observe: (outcome: HookOutcome) => void
  readonly equivalentsOf: EquivalentsOf
  /** Rejects with 404 if the namespace does not exist. */
  readonly namespaceLabels: (namespace: string, signal: AbortSignal) => Promise<Labels>
  readonly decode: (object: JsonObject, resource: AdmittedResource) => ApiObject
}

/** Calls the configured webhooks about writes and deletions of clients. */
export class Admission {
  readonly #parts: DispatchParts
  readonly #equivalentsOf: EquivalentsOf
  #mutating: readonly Hook[] = []
  #validating: readonly Hook[] = []

  constructor({ equivalentsOf, namespaceLabels, ...options }: AdmissionOptions) {
    this.#equivalentsOf = equivalentsOf
    this.#parts = {
      ...options,
      convert: (object, from, to) =>
        whenConverted(() =>
          cloneJson(to.codec.toWire(from.codec.toHub(cloneJson(object), from.apiVersion), to.apiVersion)),
        ),
      selects: async ({ hook }, request, object, oldObject) => {
        if (!selectsObject(hook.objectSelector, object, oldObject)) return false
        return selectsNamespace(hook.namespaceSelector, request, object, namespaceLabels)
      },
    }
  }

  /** Whether there are mutating webhooks. Without them, a write need not be described. */
  get mutates(): boolean {
    return this.#mutating.length > 0
  }

  get validates(): boolean {
    return this.#validating.length > 0
  }

  /** Follows the stored configurations; like every follower of the cache it may be behind for a moment. */
  follow(cache: WatchCache, codecs: readonly Codec[]): void {
    const kinds = [
      [mutatingWebhookConfigurations, (hooks: readonly Hook[]) => (this.#mutating = hooks)],
      [validatingWebhookConfigurations, (hooks: readonly Hook[]) => (this.#validating = hooks)],
    ] as const
    for (const [kind, set] of kinds) {
      const codec = codecs.find(({ definition }) => isKind(definition, kind))
      if (!codec) continue
      const configurations = new Map<string, readonly Hook[]>()
      const take = (_namespace: string, name: string, object: ApiObject | undefined): void => {
        if (object) configurations.set(name, hooksOf(object as WebhookConfiguration))
        else configurations.delete(name)
        set(inOrder(configurations))
      }
      followObjects(cache, codec, take, (key, error) =>
        this.#parts.log.error('cannot read a webhook configuration; its webhooks are not called', {
          key,
          error: String(error),
        }),
      )
    }
  }

  /** The object as webhooks change it, or undefined if it is unchanged; synchronously undefined if no webhook matches. */
  mutate(request: AdmissionRequest): Promise<ApiObject | undefined> | undefined {
    const candidates = this.#candidates(this.#mutating, request)
    return candidates.length === 0 ? undefined : dispatchMutating(this.#parts, request, candidates)
  }

  /** Rejects if a webhook refuses; synchronously undefined if no webhook matches. */
  validate(request: AdmissionRequest): Promise<void> | undefined {
    const candidates = this.#candidates(this.#validating, request)
    return candidates.length === 0 ? undefined : dispatchValidating(this.#parts, request, candidates)
  }

  #candidates(hooks: readonly Hook[], request: AdmissionRequest): readonly Candidate[] {
    if (hooks.length === 0 || isExempt(request.resource)) return []
    return hooks.flatMap((hook, index) => {
      const target = targetFor(hook, request, this.#equivalentsOf)
      return target ? [{ hook, target, index }] : []
    })
  }
}

/** Webhook configurations are exempt, so that an administrator can repair one that blocks everything. Reviews are not stored. */
function isExempt({ group, definition }: AdmittedResource): boolean {
  return group === admissionRegistrationGroup || definition.isReview === true
}
