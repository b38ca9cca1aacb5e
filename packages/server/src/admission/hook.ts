import {
  type AdmissionWebhook,
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
  /** Its silence lets requests pass. */
  readonly failsOpen: boolean
}

/** All webhooks in the order in which they are asked: by the names of their configurations, and as they stand in each. */
export function hooksOf(configurations: Iterable<WebhookConfiguration>): readonly Hook[] {
  const nameOf = ({ metadata }: WebhookConfiguration): string => metadata.name ?? ''
  return [...configurations]
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
    .flatMap((configuration) =>
      (configuration.webhooks ?? []).map((webhook, index): Hook => {
        const { name = '', namespaceSelector = {}, objectSelector = {}, failurePolicy } = webhook
        return {
          id: `${nameOf(configuration)}/${name}/${index}`,
          name,
          configuration: nameOf(configuration),
          webhook,
          namespaceSelector: requirementsOf(namespaceSelector),
          objectSelector: requirementsOf(objectSelector),
          failsOpen: failurePolicy === 'Ignore',
        }
      }),
    )
}
