import {
  type AdmissionWebhook,
  type Condition,
  compileCondition,
  type LabelSelector,
  requirementsOf,
  type WebhookConfiguration,
} from '@strata/api'

/** A configured webhook, prepared for matching. */
export interface Hook {
  /** A unique id. */
  readonly id: string
  readonly name: string
  /** The name of its configuration. */
  readonly configuration: string
  readonly webhook: AdmissionWebhook
  readonly namespaceSelector: LabelSelector
  readonly objectSelector: LabelSelector
  readonly conditions: readonly Condition[]
  /** Its failurePolicy is Ignore. */
  readonly failsOpen: boolean
}

/** The webhooks of one configuration. */
export function hooksOf({ metadata, webhooks = [] }: WebhookConfiguration): readonly Hook[] {
  const { name: configuration = '' } = metadata
  return webhooks.map((webhook, index): Hook => {
    const { name = '', namespaceSelector = {}, objectSelector = {}, failurePolicy } = webhook
    return {
      id: `${configuration}/${name}/${index}`,
      name,
      configuration,
      webhook,
      namespaceSelector: requirementsOf(namespaceSelector),
      objectSelector: requirementsOf(objectSelector),
      conditions: (webhook.matchConditions ?? []).map(({ expression = '' }) =>
        conditionOf(expression.trim()),
      ),
      failsOpen: failurePolicy === 'Ignore',
    }
  })
}

/** Invalid conditions are refused when they are written. One that another server has accepted fails each time. */
function conditionOf(expression: string): Condition {
  const compiled = compileCondition(expression)
  return 'problem' in compiled ? { evaluate: () => ({ error: compiled.problem, cost: 0 }) } : compiled
}

/** All webhooks in the order of the calls: by the names of their configurations, and as listed in each. */
export function inOrder(byConfiguration: ReadonlyMap<string, readonly Hook[]>): readonly Hook[] {
  return [...byConfiguration].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, hooks]) => hooks)
}
