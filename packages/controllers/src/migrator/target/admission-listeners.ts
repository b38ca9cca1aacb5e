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
 * The admission webhooks for updates of a resource. A bulk re-encode calls none of them: one that denies or changes updates
 * would be bypassed.
 */
export function listenersAmong(
  resource: GroupResource,
  configurations: readonly WebhookConfiguration[],
): readonly string[] {
  const webhooks = configurations.flatMap(({ webhooks: each }) => each ?? [])
  const names = webhooks.filter((each) => isAskedAbout(each, resource)).map(({ name = '' }) => name)
  return [...new Set(names)].sort()
}

/** By its rules alone: its selectors cannot be evaluated for a whole resource. */
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
