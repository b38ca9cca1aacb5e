import type { WebhookClientConfig } from '../machinery/webhook-client-config.ts'
import type { LabelSelectorObject } from '../meta/label-selector-object.ts'
import type { ApiObject } from '../meta/object.ts'

export const admissionRegistrationGroup = 'admissionregistration.k8s.io'

/** Which requests a webhook is called for. */
export interface WebhookRule {
  /** CREATE, UPDATE, DELETE, CONNECT, or `*`. */
  operations?: readonly string[]
  apiGroups?: readonly string[]
  apiVersions?: readonly string[]
  /** `pods`, `pods/status`, `pods/*`, `*`, `*` before or behind the slash stands for all. */
  resources?: readonly string[]
  /** Cluster, Namespaced, or `*`. */
  scope?: string
}

/** An expression that must be true of a request, or the webhook is not asked. */
export interface MatchCondition {
  name?: string
  expression?: string
}

/** A webhook that admits requests. */
export interface AdmissionWebhook {
  name?: string
  clientConfig?: WebhookClientConfig
  rules?: readonly WebhookRule[]
  failurePolicy?: string
  matchPolicy?: string
  namespaceSelector?: LabelSelectorObject
  objectSelector?: LabelSelectorObject
  sideEffects?: string
  timeoutSeconds?: number
  /** Null where there are none. */
  admissionReviewVersions?: readonly string[] | null
  matchConditions?: readonly MatchCondition[]
  /** For mutating webhooks: whether it is called again if a later webhook changes the object. */
  reinvocationPolicy?: string
}

export interface WebhookConfiguration extends ApiObject {
  webhooks?: AdmissionWebhook[]
}

/** Fills in the defaults. */
export function applyWebhookDefaults({ webhooks }: WebhookConfiguration): void {
  for (const webhook of webhooks ?? []) {
    webhook.failurePolicy ??= 'Fail'
    webhook.matchPolicy ??= 'Equivalent'
    webhook.namespaceSelector ??= {}
    webhook.objectSelector ??= {}
    webhook.timeoutSeconds ??= 10
    for (const rule of webhook.rules ?? []) rule.scope ??= '*'
    const { service } = webhook.clientConfig ?? {}
    if (service) service.port ??= 443
  }
}

export function applyMutatingDefaults(configuration: WebhookConfiguration): void {
  applyWebhookDefaults(configuration)
  for (const webhook of configuration.webhooks ?? []) webhook.reinvocationPolicy ??= 'Never'
}
