import {
  type AdmissionWebhook,
  type Condition,
  compileCondition,
  type LabelSelector,
  requirementsOf,
  type WebhookConfiguration,
} from '@strata/api'

/** A webhook as it was configured, ready to be matched. */
export interface Hook {
  /** Tells it from all others. */
  readonly id: string
  readonly name: string
  /** The name of the configuration that it is in. */
  readonly configuration: string
  readonly webhook: AdmissionWebhook
  readonly namespaceSelector: LabelSelector
  readonly objectSelector: LabelSelector
  readonly conditions: readonly Condition[]
  /** Its silence lets requests pass. */
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

/** Wrong conditions are refused when they are written. One that another server has let pass is an error each time. */
function conditionOf(expression: string): Condition {
  const compiled = compileCondition(expression)
  return 'problem' in compiled ? { evaluate: () => ({ error: compiled.problem, cost: 0 }) } : compiled
}

/** All webhooks in the order in which they are asked: by the names of their configurations, and as they stand in each. */
export function inOrder(byConfiguration: ReadonlyMap<string, readonly Hook[]>): readonly Hook[] {
  return [...byConfiguration].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, hooks]) => hooks)
}
