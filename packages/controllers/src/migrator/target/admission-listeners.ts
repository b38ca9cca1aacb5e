import {
  type AdmissionWebhook,
  type GroupResource,
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
  type WebhookConfiguration,
  type WebhookRule,
} from '@strata/api'
import { type Client, isNotFoundOrForbidden } from '@strata/client'

/**
 * Who has asked to be heard before objects of a resource are updated. Next to the data nobody is heard; somebody who
 * denies updates, or changes what is written, is passed over there.
 */
export function listenersAmong(
  resource: GroupResource,
  configurations: readonly WebhookConfiguration[],
): readonly string[] {
  const webhooks = configurations.flatMap(({ webhooks: each }) => each ?? [])
  const names = webhooks.filter((each) => isAskedAbout(each, resource)).map(({ name = '' }) => name)
  return [...new Set(names)].sort()
}

/** Whatever else narrows it down, for no selector can be told of a whole resource. */
function isAskedAbout({ rules = [] }: AdmissionWebhook, { group, resource }: GroupResource): boolean {
  const has = (list: WebhookRule['operations'], ...words: readonly string[]): boolean =>
    list?.some((each) => each === '*' || words.includes(each)) ?? false
  return rules.some(
    ({ operations, apiGroups, resources }) =>
      has(operations, 'UPDATE') && has(apiGroups, group) && has(resources, resource, `${resource}/*`, '*/*'),
  )
}

/** Undefined without the right to list webhook configurations. */
export async function observeListeners(
  client: Client,
  resource: GroupResource,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  try {
    const lists = await Promise.all(
      [validatingWebhookConfigurations, mutatingWebhookConfigurations].map((each) =>
        client.resource(each, 'v1').list({}, signal),
      ),
    )
    return listenersAmong(
      resource,
      lists.flatMap(({ items }) => items),
    )
  } catch (error) {
    if (isNotFoundOrForbidden(error)) return undefined
    throw error
  }
}
